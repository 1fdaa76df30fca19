import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderWith, never as interrupted, runIn } from './cli/run-in-folder.ts'
import { runStopped, temporaryFolder } from './support/stopped-at-random.ts'

const examples = fileURLToPath(new URL('../examples/worker/', import.meta.url))
const careful = readFileSync(`${examples}worker.js`, 'utf8')
const environment = { PATH: process.env['PATH'] }
const command = ['--', process.execPath, 'worker.mjs', 'a red kite', 'a paper boat']
const explore = (...only: readonly string[]): string[] => [
  'explore',
  '--crash',
  '--virtual-timers',
  '--report',
  'json=report.json',
  ...only.flatMap((family) => ['--only', family]),
]

/** Each bug replaces a piece of the worker. One family of faults finds it. */
const bugs: Readonly<Record<string, { from: string; to: string; family: string; key: string }>> = {
  'submits again after a crash': {
    from: "existsSync(join(folder, 'queue.json'))",
    to: 'false',
    family: 'crash after',
    key: 'paid twice | resubmits-after-crash',
  },
  'saves the ID too late': {
    from: "update(job, { state: 'running', id })",
    to: "Object.assign(job, { state: 'running', id })",
    family: 'crash after',
    key: 'gave up | does-not-recover',
  },
  'ends without an error on time-out': {
    from: 'process.exitCode = 1',
    to: 'if (!/in time/.test(error.message)) process.exitCode = 1',
    family: 'task stuck',
    key: 'wrong result | ignores-failure',
  },
  'trusts a link that has expired': {
    from: 'if (error.status !== 403 && error.status !== 404) throw error',
    to: 'throw error',
    family: 'expired videos',
    key: 'gave up | fails-on-variant',
  },
  'takes a failed task for done': {
    from: "update(job, { state: 'failed', reason: data.fail_reason || 'no reason' })",
    to: "update(job, { state: 'done' })",
    family: 'task fails',
    key: 'wrong result | ignores-failure',
  },
}

interface Found {
  readonly key: string
  readonly file?: string
}

function readFindings(text: string): readonly Found[] {
  return (JSON.parse(text) as { explorations: { findings: Found[] }[] }).explorations.flatMap(
    ({ findings }) => findings,
  )
}

const replay = async (folder: string, file: string): Promise<number> =>
  (await runIn(folder, ['run', '--virtual-timers', file, ...command], { interrupted, environment })).code

describe('a worker', { timeout: 300_000 }, () => {
  // The README of the example explores all faults, while nothing is stopped.
  it('survives each crash while it is stopped at random', async () => {
    const folder = temporaryFolder({ 'worker.mjs': careful })
    const words = [...explore('crash after'), '--jobs', '2', ...command]
    const { code, report } = await runStopped(folder, words, 'either')
    expect({ code, findings: readFindings(report) }).toEqual({ code: 0, findings: [] })
  })

  it.each(Object.entries(bugs))('that %s is found, with a scenario that reproduces it', async (_, bug) => {
    expect(careful).toContain(bug.from)
    const folder = folderWith({ 'worker.mjs': careful.replace(bug.from, () => bug.to) })
    const { code } = await runIn(folder, [...explore(bug.family), ...command], { interrupted, environment })
    const findings = readFindings(readFileSync(join(folder, 'report.json'), 'utf8'))
    const found = findings.find(({ key }) => key.startsWith(bug.key))
    expect({ code, keys: findings.map(({ key }) => key), found: found?.file !== undefined }).toMatchObject({
      code: 20,
      found: true,
    })
    const { file } = found!
    expect(await replay(folder, file!)).not.toBe(0)
    const mended = folderWith({ 'worker.mjs': careful, 'finding.yaml': readFileSync(join(folder, file!)) })
    expect(await replay(mended, 'finding.yaml')).toBe(0)
  })

  it('plays the scenario of its folder', async () => {
    const folder = folderWith({ 'worker.mjs': careful, 'crash.yaml': readFileSync(`${examples}crash.yaml`) })
    const words = [
      'run',
      '--virtual-timers',
      'crash.yaml',
      '--',
      process.execPath,
      'worker.mjs',
      'a red kite',
    ]
    const { code, warned } = await runIn(folder, words, { interrupted, environment })
    expect(code).toBe(0)
    expect(warned).toContain('crash: the command was killed at video.poll 2, and is started again\n')
  })
})
