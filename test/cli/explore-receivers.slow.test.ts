import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, never, runIn } from './run-in-folder.ts'

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The score of a receiver, and the keys of what is found, with all that can happen to callbacks. */
async function explore(words: readonly string[], command: readonly string[]) {
  const folder = folderWith({
    'callbacks.yaml': 'version: 1\nname: Callbacks\nconfig: { drawing: { notifyHook: true } }\n',
  })
  const flags = ['--virtual-timers', '--jobs', '2', '--report', 'json=report.json']
  const environment = { PATH: process.env['PATH'] }
  const line = ['explore', ...flags, ...words, '--', process.execPath, ...command]
  await runIn(folder, line, { interrupted: never, environment })
  const report = readFileSync(join(folder, 'report.json'), 'utf8')
  const { explorations } = JSON.parse(report) as {
    explorations: { score: number; findings: { key: string }[] }[]
  }
  const [{ score, findings }] = explorations as [(typeof explorations)[number]]
  return { score, found: findings.map(({ key }) => key) }
}

const predict = program('programs/prediction-receiver.mjs')

describe('explores receivers of callbacks', { timeout: 300_000 }, () => {
  it('and finds nothing in a careful one of predictions', async () => {
    const words = ['--api', 'replicate', '--only', 'replicate.webhook', '--only', 'early']
    expect(await explore(words, [predict])).toEqual({ score: 100, found: [] })
  })

  it('and finds nothing in a careful one of drawings', async () => {
    const words = ['--only', 'lost', '--only', 'early', 'callbacks.yaml']
    expect(await explore(words, [program('programs/drawing-receiver.mjs')])).toEqual({
      score: 100,
      found: [],
    })
  })

  it.each([
    ['believes-all', 'forged', 'believes-forged-callbacks'],
    ['counts-each', 'twice', 'handles-callbacks-twice'],
    ['depends-on-order', 'late', 'depends-on-order'],
    ['works-first', 'early', 'answers-callbacks'],
    ['never-polls', 'lost', 'relies-on-callbacks'],
  ])('and finds one planted bug, of a receiver that %s, by %s', async (bug, fault, habit) => {
    const { found } = await explore(['--api', 'replicate', '--only', fault], [predict, bug])
    expect(found).toEqual([expect.stringContaining(habit)])
  })
})
