import { expect, it } from 'vitest'
import { formatTrace, type ClientRun } from '../../../src/judge/runs/client-run.ts'
import { poll, start, Story, submit, type Made } from '../entries.ts'

function traceOf(exchanges: readonly Made[], crashes: ClientRun['crashes'] = []): string[] {
  const story = new Story()
  for (const made of exchanges) story.add(made)
  return formatTrace({ exchanges: story.entries, crashes } as unknown as ClientRun).split('\n')
}

it('lists the requests of a run with their times, and names what was injected', () => {
  const exchanges = [
    submit(),
    poll(null, { atMs: 5_000, status: 503, rules: ['storm', 'fault-503'] }),
    poll(null, { atMs: 65_000, status: 0, fault: 'reset', rules: ['fault-reset'] }),
    poll('queued', { atMs: 70_000, rules: ['storm'] }),
  ]
  expect(traceOf(exchanges)).toEqual([
    '+0s       #1 video.submit 200',
    '+5s       #2 video.poll 503 (injected)',
    '+1m5s     #3 video.poll no response (reset)',
    '+1m10s    #4 video.poll 200',
  ])
})

it('names the path of a request that no operation serves', () => {
  expect(traceOf([submit({ operation: null, path: '/v1/video', status: 404 })])).toEqual([
    '+0s       #1 /v1/video 404',
  ])
})

it('lists at most forty requests, and says how many more there were', () => {
  const lines = traceOf(Array.from({ length: 43 }, () => poll('queued')))
  expect(lines).toHaveLength(41)
  expect(lines.at(-1)).toBe('… and 3 more')
  expect(traceOf(Array.from({ length: 40 }, () => poll('queued')))).toHaveLength(40)
})

it('lists a crash before the request that follows it, and one after the last request at the end', () => {
  const crash = { op: 'video.submit', nth: 1, accepted: true } as const
  const crashes = [
    { ...crash, at: start + 1_000, before: 2 },
    { ...crash, at: start + 9_000, before: 3 },
  ]
  const lines = traceOf(
    [submit(), poll('queued', { atMs: 2_000 })],
    crashes as unknown as ClientRun['crashes'],
  )
  expect(lines.map((line) => line.replace(/ +/, ' ').split(' ').slice(0, 4).join(' '))).toEqual([
    '+0s #1 video.submit 200',
    '+1s the client crashes',
    '+2s #2 video.poll 200',
    '+9s the client crashes',
  ])
})
