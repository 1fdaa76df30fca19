import { fileURLToPath } from 'node:url'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runStopped, type Stopped } from '../support/stopped-at-random.ts'
import { folderWith } from './run-in-folder.ts'

const program = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url))
const report = ['--report', 'json=report.json']
// All at the same time, because a stopped process leaves the machine to others. `same-verdict` stops each process alone.
const stops: readonly Stopped[] = ['nothing', 'either']

/** The keys of what is found. */
async function explore(words: readonly string[], stopped: Stopped, ...command: string[]): Promise<string[]> {
  const folder = folderWith({})
  const all = ['explore', '--virtual-timers', ...words, ...report, '--', process.execPath, ...command]
  const { code } = await runStopped(folder, all, stopped)
  const text = readFileSync(join(folder, 'report.json'), 'utf8')
  const { explorations } = JSON.parse(text) as { explorations: { findings: { key: string }[] }[] }
  const keys = explorations.flatMap(({ findings }) => findings.map(({ key }) => key))
  expect(code).toBe(keys.length > 0 ? 20 : 0)
  return keys
}

const atPoll = `version: 1
crash: [{ op: video.poll, nth: 1 }]
expect: { tasks: [{ kind: video, count: { max: 3 } }], command: any, allow: { notExercised: true } }
`

it.each([
  ['passes', 'is careful', [], 0],
  ['fails', 'forgets its tasks', ['forgets-the-task'], 20],
])(
  '%s a worker of three jobs that crashes and %s in each play, whichever process the machine stops',
  { timeout: 400_000, concurrent: true },
  async (_verdict, _habit, bug, code) => {
    const words = ['run', '--virtual-timers', 'crash.yaml', ...report, '--', process.execPath]
    const play = (stopped: Stopped) =>
      runStopped(folderWith({ 'crash.yaml': atPoll }), [...words, program('three-jobs.mjs'), ...bug], stopped)
    const [first, ...others] = await Promise.all(stops.map(play))
    expect(first!.code).toBe(code)
    for (const other of others) expect(other).toEqual(first)
  },
)

it(
  'finds once that a worker of three jobs forgets its tasks at a crash',
  { timeout: 400_000, concurrent: true },
  async () => {
    const only = ['--crash', '--only', 'crash after']
    const [careful, forgetful] = await Promise.all([
      explore(only, 'either', program('three-jobs.mjs')),
      explore(only, 'nothing', program('three-jobs.mjs'), 'forgets-the-task'),
    ])
    expect(careful).toEqual([])
    expect(forgetful).toEqual(['paid twice | resubmits-after-crash'])
  },
)

it(
  'accuses no careful receiver of callbacks, whichever process the machine stops',
  { timeout: 400_000, concurrent: true },
  async () => {
    const words = ['--api', 'replicate', '--only', 'forged', '--only', 'early']
    expect(await explore(words, 'either', program('prediction-receiver.mjs'))).toEqual([])
  },
)

it(
  'accuses no client whose user cancels, whichever process the machine stops',
  { timeout: 400_000, concurrent: true },
  async () => {
    const words = ['--api', 'replicate', '--only', 'slow 40s', '--only', 'hang', '--only', 'fails']
    expect(await explore(words, 'either', program('cancelled.mjs'))).toEqual([])
  },
)
