import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bugsOf } from '../judge/explore/planted/bugs.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const planted = fileURLToPath(new URL('../judge/explore/planted/', import.meta.url))

/**
 * The keys of what is found in a command.
 * @param only the faults to try. Default: all.
 */
async function findIn(file: string, only: readonly string[] = []): Promise<string[]> {
  const folder = folderWith({})
  const selected = only.flatMap((name) => ['--only', name])
  const flags = ['--jobs', '2', '--time-limit', '10s', '--report', 'json=report.json', ...selected]
  const environment = { PATH: process.env['PATH'] }
  const interrupted = new Promise<void>(() => {})
  const words = ['explore', ...flags, '--', process.execPath, planted + file]
  const { code } = await runIn(folder, words, { interrupted, environment })
  const report = readFileSync(join(folder, 'report.json'), 'utf8')
  const { explorations } = JSON.parse(report) as { explorations: { findings: { key: string }[] }[] }
  const findings = explorations.flatMap((exploration) => exploration.findings)
  expect(code).toBe(findings.length > 0 ? 20 : 0)
  return findings.map(({ key }) => key)
}

describe('explores commands', { timeout: 300_000 }, () => {
  // They are one program, whose retries and deadlines the chat shows. `explore-agents` explores others wholly.
  it.each([
    ['chat', ['429 seconds', 'server error', 'outage', 'silence', 'key revoked', 'stream', 'ended early']],
    ['text', ['cut stream', 'error event', 'CRLF events', 'split-character', 'ended early']],
    ['embedding', ['429 seconds', 'truncate', 'login page']],
    ['agent', ['tool loop', 'cut call', 'max tokens']],
  ])('and finds nothing in a good one: %s', async (flow, only) => {
    expect(await findIn(`good-${flow}.mjs`, only)).toEqual([])
  })

  it.each(bugsOf('command'))('and finds a planted bug: %s, by %s', async (name, foundBy) => {
    expect(await findIn(`command/${name}.mjs`, [foundBy])).not.toEqual([])
  })
})
