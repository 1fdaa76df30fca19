import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runFixtureWith, type FixtureRun } from './run-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'greenroom-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

let run: FixtureRun
beforeAll(async () => {
  run = await runFixtureWith({ GREENROOM_REPORT: folder }, 'report')
}, 120_000)

interface Run {
  readonly verdict: {
    name: string
    seed: string
    reproduce: string
    results: { path: string; fails: boolean }[]
  }
  readonly evidence: { request: number }[]
  readonly trace: { tasks: unknown[]; entries: unknown[]; exchanges: { request: { body: string } }[] }
}

/** The run in the report that a failure names. */
function readReport(test: string): Run {
  const [, path] = /^report: (.*)$/m.exec(run.failures[test]!)!
  const [, json] = /<script id="greenroom-data"[^>]*>(.*?)<\/script>/s.exec(readFileSync(path!, 'utf8'))!
  return (JSON.parse(json!) as { runs: Run[] }).runs[0]!
}

it('writes one for each failed test, under a safe name, and none for others', () => {
  expect(readdirSync(folder).toSorted()).toEqual([
    expect.stringMatching(/^downloads-too-early-escaped-\w{6}\.html$/),
    expect.stringMatching(/^fails-by-a-matcher-\w{6}\.html$/),
    expect.stringMatching(/^fails-by-itself-\w{6}\.html$/),
  ])
  expect(run.failures['passes']).toBe('')
})

it('contains the verdict with its evidence, and the command that runs the test again', () => {
  const { verdict, evidence, trace } = readReport('downloads too early: ../../<escaped>')

  expect(verdict.name).toBe('with a gateway > downloads too early: ../../<escaped>')
  expect(verdict.reproduce).toBe(
    "npx vitest run report.fixture.ts -t 'with a gateway downloads too early: \\.\\./\\.\\./<escaped>'",
  )
  expect(evidence.map(({ request }) => request)).toEqual([2])
  expect([trace.tasks.length, trace.entries.length]).toEqual([1, 2])
  expect(trace.exchanges.map(({ request }) => request.body.includes('a red kite'))).toEqual([false, true])
})

it.each(['fails by itself', 'fails by a matcher'])('contains the failure of a test that %s', (name) => {
  const { verdict, trace } = readReport(name)

  expect(verdict.results[0]).toMatchObject({ path: 'test', fails: true })
  expect(trace.tasks).toHaveLength(1)
  expect(basename(verdict.reproduce)).toContain('report.fixture.ts')
})
