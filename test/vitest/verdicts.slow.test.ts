import { beforeAll, expect, it } from 'vitest'
import { runFixture, type FixtureRun } from './run-fixture.ts'

let run: FixtureRun
beforeAll(async () => {
  run = await runFixture('verdicts', 'concurrent', 'strays', 'hooks')
}, 240_000)

const failed = (): string[] => Object.keys(run.failures).filter((name) => run.failures[name] !== '')

it('fails those tests whose client misbehaves, and no others', () => {
  expect(failed().toSorted()).toEqual([
    'adds a rule that never fires',
    'breaks more than was expected',
    'calls an address that is none',
    'downloads too early',
    'fails by itself, and is not judged as well',
    'has a hook that throws',
    'is not begun',
    'makes video 7',
    'may have sent a request, number 1',
    'may have sent a request, number 2',
    'misbehaves before other hooks',
    'sends no key',
    'sleeps in real time',
    'sleeps on timers that no test advances',
    'was expected to break what it keeps',
  ])
  expect(Object.keys(run.failures)).toHaveLength(14 + 54 + 2 + 8)
})

it('says what was done, and by which request, and where it was thrown not at all', () => {
  const id = /task_\w+/.exec(run.failures['downloads too early']!)![0]
  expect(run.failures['downloads too early']).toBe(
    `VerdictError: client check failed (seed 1)

  ✗ always: no-early-download
      Task ${id} had not ended when video.content was requested.  #2
          0s                                    0s
  video 1 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ queued; video.submit ×1, video.content ×1
  2 requests in 0s of virtual time, for $0.08
  #2 video.content: GET /v1/videos/${id}/content → 400`,
  )
})

it.each([
  ['adds a rule that never fires', 'rule next-1 fires at least once, or is optional'],
  ['calls an address that is none', '#1 no operation: GET /v1/video/generation → 404'],
  ['sends no key', 'GET /v1/video/generations/task_1 carried no key.  #1'],
  ['was expected to break what it keeps', 'was expected to break no-early-download and one-key'],
  ['breaks more than was expected', '✗ unmatched requests'],
  ['makes video 7', '1 without: #8 GET'],
  [
    'may have sent a request, number 1',
    '1 request came while several tests were running, from an unknown one of them.',
  ],
  ['sleeps on timers that no test advances', "1 fake timer waits to be advanced, and the gateway's clock"],
  ['sleeps in real time', 'give it gateway.clock.sleep, or use mode host'],
])('of a test that %s, says why', (name, why) => {
  expect(run.failures[name]).toContain(why)
})

it('reports both a client that misbehaves and a hook that fails', () => {
  expect(run.failures['misbehaves before other hooks']).toContain('VerdictError')
  expect(run.failures['has a hook that throws']).toContain('the hook failed')
  expect(run.failures['is not begun']).toContain('the beforeEach failed')
})

it('tells of a broken expectation only what was not expected', () => {
  expect(run.failures['breaks more than was expected']).not.toContain('no-early-download')
})

it('judges no test that has failed by itself', () => {
  expect(run.failures['fails by itself, and is not judged as well']).not.toContain('VerdictError')
})
