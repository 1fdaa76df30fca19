import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, never, runIn } from './run-in-folder.ts'

const main = fileURLToPath(new URL('../judge/explore/planted/agents/main.mjs', import.meta.url))

interface Report {
  explorations: { score: number; findings: { severity: string; habit: string }[] }[]
}

/** Explores an agent as a program, under virtual timers. @param only the faults to try. All others are tried in this process, in judge/explore. */
async function exploreAgent(command: readonly string[], only: readonly string[]) {
  const folder = folderWith({})
  const selected = only.flatMap((name) => ['--only', name])
  const flags = ['--virtual-timers', '--jobs', '2', '--report', 'json=report.json', ...selected]
  const words = ['explore', ...flags, '--', process.execPath, main, ...command]
  await runIn(folder, words, { interrupted: never, environment: { PATH: process.env['PATH'] } })
  return (JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report).explorations[0]!
}

describe('explores an agent as a program with the SDK', { timeout: 300_000 }, () => {
  it.each([
    ['openai', ['503', 'cut call', 'cut stream', 'tool loop', 'hang']],
    ['anthropic', ['cut call', 'cut stream', 'hang']],
    ['genai', ['blocked prompt', 'cut stream', 'hang']],
  ])('%s, and finds nothing in a careful one', async (sdk, only) => {
    expect(await exploreAgent([sdk], only)).toMatchObject({ score: 100, findings: [] })
  })

  it('openai, and finds that it takes a cut stream for whole', async () => {
    const { findings } = await exploreAgent(['openai', 'takes-a-cut-stream'], ['cut stream'])
    expect(findings).not.toEqual([])
  })
})
