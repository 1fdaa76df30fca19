import { expect, it } from 'vitest'
import { drive, type TaskOutcome } from '../../../src/judge/client/drive.ts'
import type { JournalEntry, Rule } from '../../../src/index.ts'
import type { DriveStep } from '../../../src/index.ts'
import { describeTransports, openSocket, type OpenTransport } from '../../support/transports.ts'

/** Runs a step of the reference client against a transport. */
function driveAt(transport: OpenTransport, step: DriveStep): Promise<TaskOutcome[]> {
  const { sleep, now } = transport.sim.clock
  return drive(step, { fetch: transport.fetch, url: transport.url, key: 'sk-test', sleep, now })
}

const video: DriveStep = { flow: 'video', size: '128x96', seconds: 1 }
const steady: Rule = { id: 'steady', match: { op: 'video.submit' }, task: { queued: '5s', render: '20s' } }

/** When each came, in seconds since the first. */
const instantsOf = (entries: readonly JournalEntry[]): number[] =>
  entries.map(({ at }) => (at - entries[0]!.at) / 1_000)

describeTransports((open) => {
  it('doubles its waits after temporary refusals, the same in each run', async () => {
    const rules: Rule[] = [{ match: { op: 'video.submit' }, attempts: [503, 500, 429, 'ok'] }]
    await using transport = await open({ rules })
    const [outcome] = await driveAt(transport, video)
    expect(outcome!.ended).toBe('succeeded')
    expect(instantsOf(transport.sim.journal({ operation: 'video.submit' }))).toEqual([0, 1, 3, 7])
  })

  it.each(['seconds', 'date'] as const)(
    'waits as long as Retry-After says, in %s',
    async (retryAfterFormat) => {
      const respond = { status: 429, retryAfter: '30s', retryAfterFormat }
      await using transport = await open({ rules: [{ match: { op: 'video.submit' }, times: 1, respond }] })
      await driveAt(transport, video)
      expect(instantsOf(transport.sim.journal({ operation: 'video.submit' }))).toEqual([0, 30])
    },
  )

  it('repeats polls that are lost, refused or unreadable, and submits nothing again', async () => {
    const attempts = ['reset', 503, 'invalid-json', 'close', 'ok'] as const
    await using transport = await open({ rules: [steady, { match: { op: 'video.poll' }, attempts }] })
    const [outcome] = await driveAt(transport, video)
    expect(outcome!.ended).toBe('succeeded')
    expect(transport.sim.journal({ operation: 'video.submit' })).toHaveLength(1)
    expect(instantsOf(transport.sim.journal({ operation: 'video.poll' }))).toEqual([0, 5, 15, 25, 35])
  })

  it('resumes a download that broke off, and repeats one with wrong bytes', async () => {
    const attempts = [{ fault: { type: 'truncate', at: '40%' } }, 'corrupt', 'ok'] as const
    await using transport = await open({ rules: [{ match: { op: 'video.content' }, per: 'task', attempts }] })
    const [outcome] = await driveAt(transport, video)
    expect(outcome).toMatchObject({ ended: 'succeeded', reason: '' })
    expect(transport.sim.journal({ operation: 'video.content' }).map(({ status }) => status)).toEqual([
      200, 206, 200,
    ])
  })

  it.each(['text-stream', 'chat-stream'] as const)(
    'requests a %s again that broke, was cut, or reported an error',
    async (flow) => {
      const op = flow === 'chat-stream' ? 'chat.complete' : 'text.stream'
      const broken = [
        { cut: { afterChunk: 2 } },
        { error: { afterChunk: 3 } },
        { error: { afterChunk: 1, kind: 'reset' } },
      ] as const
      const rules: Rule[] = broken.map((stream, index) => ({ match: { op }, on: index + 1, stream }))
      await using transport = await open({ rules })
      const [outcome] = await driveAt(transport, { flow })
      expect(outcome).toMatchObject({ ended: 'succeeded', reason: '' })
      expect(instantsOf(transport.sim.journal()).map(Math.floor)).toEqual([0, 1, 3, 7])
    },
  )

  it('aborts a request without a response, and retries it', async () => {
    const rules: Rule[] = [{ match: { op: 'video.poll' }, attempts: ['ok', 'hang', 'ok'] }, steady]
    await using transport = await open({ rules })
    const [outcome] = await driveAt(transport, video)
    expect(outcome!.ended).toBe('succeeded')
    // Five seconds to the poll, a minute of patience, five seconds to the next try.
    expect(instantsOf(transport.sim.journal({ operation: 'video.poll' }))).toEqual([0, 5, 70])
    expect(transport.sim.journal({ outcome: 'aborted' })).toHaveLength(1)
  })

  it('reports why each task ended', async () => {
    const rules: Rule[] = [
      { match: { op: 'videos.create' }, respond: { status: 403, error: { message: 'no quota' } } },
      { match: { op: 'chat.complete' }, fault: 'reset' },
    ]
    await using transport = await open({ rules })
    const outcomes = [
      ...(await driveAt(transport, { flow: 'openai-video' })),
      ...(await driveAt(transport, { flow: 'chat', retries: 1 })),
      ...(await driveAt(transport, { ...video, prompt: '[[fail: too dark]] a cave' })),
      ...(await driveAt(transport, { ...video, prompt: '[[stuck]] a cave', giveUpAfter: '1m' })),
      ...(await driveAt(transport, { flow: 'drawing', actions: ['frame it'], download: false })),
    ]
    expect(outcomes.map(({ ended, reason }) => `${ended}: ${reason}`)).toEqual([
      expect.stringMatching(/^refused: 403 no quota/),
      expect.stringMatching(/^broken: (fetch failed|Failed to fetch): ECONNRESET$/),
      'failed: too dark',
      'gave-up: gave up after 1m',
      expect.stringMatching(/^impossible: no result has a button for "frame it"\. There are U1, U2/),
    ])
  })
})

it('makes the same run of the same step, however many tasks share the clock', async () => {
  const histories = new Set<string>()
  for (let run = 0; run < 5; run++) {
    const rules: Rule[] = [{ match: { op: '*' }, chance: 0.3, delay: { uniform: ['1s', '9s'] } }, steady]
    await using transport = await openSocket({ seed: 4, rules, cacheDir: false })
    const { control } = transport.sim.core
    const { sleep, now } = transport.sim.clock
    const join = (name: string): (() => void) => {
      control.clock.join('default', name)
      return () => void control.clock.leave('default', name)
    }
    const parts = { fetch: transport.fetch, url: transport.url, key: 'sk-test', sleep, now, join }
    await drive({ ...video, n: 4, download: false }, parts)
    const history = transport.sim
      .journal()
      .map(({ at, operation, task, rules: fired }) => [at, operation, task, fired])
    histories.add(JSON.stringify(history))
  }
  expect(histories.size).toBe(1)
})
