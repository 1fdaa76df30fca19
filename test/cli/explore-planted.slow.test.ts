import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, runIn } from './run-in-folder.ts'

const planted = fileURLToPath(new URL('../judge/explore/planted/', import.meta.url))

/** The keys of what is found in a command. */
async function findIn(file: string): Promise<string[]> {
  const folder = folderWith({})
  const flags = ['--budget', '5m', '--jobs', '2', '--time-limit', '10s', '--report', 'json=report.json']
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
  it.each(['chat', 'text', 'embedding', 'agent'])('and finds nothing in a good one: %s', async (flow) => {
    expect(await findIn(`good-${flow}.mjs`)).toEqual([])
  })

  it.each(readdirSync(`${planted}command`))('and finds a planted bug: %s', async (file) => {
    const keys = await findIn(`command/${file}`)
    if (process.env['SHOW_FINDINGS'] !== undefined) process.stdout.write(`${file}: ${keys.join('; ')}\n`)
    expect(keys).not.toEqual([])
  })
})
