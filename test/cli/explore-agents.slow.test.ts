import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, never, runIn } from './run-in-folder.ts'

const agents = fileURLToPath(new URL('../judge/explore/planted/agents/', import.meta.url))

interface Report {
  explorations: { score: number; findings: { severity: string; habit: string }[] }[]
}

/** Explores an agent under virtual timers. @param only the faults to try. Default: all. */
async function exploreAgent(sdk: string, bug: string[] = [], only: string[] = []) {
  const folder = folderWith({})
  const selected = only.flatMap((name) => ['--only', name])
  const flags = ['--virtual-timers', '--jobs', '2', '--report', 'json=report.json', ...selected]
  const words = ['explore', ...flags, '--', process.execPath, `${agents}${sdk}.mjs`, ...bug]
  await runIn(folder, words, { interrupted: never, environment: { PATH: process.env['PATH'] } })
  return (JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report).explorations[0]!
}

describe('explores an agent with the SDK', { timeout: 300_000 }, () => {
  it.each(['openai', 'anthropic', 'genai'])('%s, and finds nothing in a careful one', async (sdk) => {
    expect(await exploreAgent(sdk)).toMatchObject({ score: 100, findings: [] })
  })

  it.each([
    ['openai', 'takes-any-end', 'max tokens'],
    ['openai', 'runs-cut-calls', 'cut call'],
    ['openai', 'answers-without-end', 'tool loop'],
    ['openai', 'takes-a-cut-stream', 'cut stream'],
    ['anthropic', 'takes-any-end', 'max tokens'],
    ['anthropic', 'runs-cut-calls', 'cut call'],
    ['anthropic', 'answers-without-end', 'tool loop'],
    ['anthropic', 'takes-a-cut-stream', 'cut stream'],
    ['genai', 'takes-any-end', 'max tokens'],
    ['genai', 'expects-a-candidate', 'blocked prompt'],
    ['genai', 'answers-without-end', 'tool loop'],
    ['genai', 'takes-a-cut-stream', 'cut stream'],
  ])('%s, and finds that it %s, by %s', async (sdk, bug, foundBy) => {
    expect((await exploreAgent(sdk, [bug], [foundBy])).findings).not.toEqual([])
  })
})
