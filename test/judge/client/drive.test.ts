import { expect, it, onTestFinished, vi } from 'vitest'
import { hostTimers } from '../../../src/engine/clock/timers/host-timers.ts'
import { drive, type TaskOutcome } from '../../../src/judge/client/drive.ts'
import type { DriveStep } from '../../../src/index.ts'
import type { JournalEntry, Rule } from '../../../src/index.ts'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'

/** Runs a step of the reference client against a transport. */
function driveAt(transport: OpenTransport, step: DriveStep): Promise<TaskOutcome[]> {
  const { sleep, now } = transport.sim.clock
  return drive(step, { fetch: transport.fetch, url: transport.url, key: 'sk-test', sleep, now })
}

const operationsOf = (journal: readonly JournalEntry[]): string =>
  journal.map(({ operation }) => operation?.split('.')[1]).join(' ')

/** How long after the entry before each of them came, in seconds. */
const gapsOf = (journal: readonly JournalEntry[]): number[] =>
  journal.slice(1).map(({ at }, index) => (at - journal[index]!.at) / 1_000)

it('gives up a task after 20,000 waits, so that no scenario takes centuries', async () => {
  let now = 0
  const fetch = async (): Promise<Response> =>
    Response.json({ id: 'video_1', status: 'in_progress', progress: 1 })
  const sleep = async (durationMs: number): Promise<void> => void (now += durationMs)
  const context = { fetch, url: '', key: 'sk-test', sleep, now: () => now, nextChange: () => 1 }
  const [outcome] = await drive({ flow: 'openai-video', giveUpAfter: '36500d' }, context)
  expect(outcome).toMatchObject({ ended: 'gave-up', reason: expect.stringContaining('after 20000 waits') })
  expect(now / 5_000).toBe(20_000)
})

it.each([
  ['36500d', Infinity, 499],
  ['36500d', 3_153_600_000_000, 499],
  ['2h', Infinity, 1_439],
])(
  'gives up after %s, or before that if the next change at %d is out of reach: after %d waits',
  async (giveUpAfter, nextChange, waits) => {
    let now = 0
    const fetch = async (): Promise<Response> =>
      Response.json({ id: 'video_1', status: 'queued', progress: 1 })
    const sleep = async (durationMs: number): Promise<void> => void (now += durationMs)
    const context = { fetch, url: '', key: 'sk-test', sleep, now: () => now, nextChange: () => nextChange }
    const [outcome] = await drive({ flow: 'openai-video', giveUpAfter }, context)
    expect(outcome!.ended).toBe('gave-up')
    expect(now / 5_000).toBe(waits)
  },
)

/** Makes the timeout of a request begin at once, instead of after its grace period. */
function startTimeoutsAtOnce(): void {
  const { setTimeout } = hostTimers
  const spy = vi.spyOn(hostTimers, 'setTimeout')
  spy.mockImplementation((action, delayMs) => setTimeout(action, delayMs === 1_000 ? 0 : delayMs))
  onTestFinished(() => spy.mockRestore())
}

it('ends the wait for the timeout of a request when the response is there', async () => {
  startTimeoutsAtOnce()
  const signals: AbortSignal[] = []
  const sleep: Parameters<typeof drive>[1]['sleep'] = async (_, { signal }) => {
    if (!signal) return
    signals.push(signal)
    await new Promise(() => {})
  }
  let requests = 0
  const fetch = async (): Promise<Response> => {
    requests++
    await vi.waitFor(() => expect(signals).toHaveLength(requests))
    return Response.json({ id: 'video_1', status: 'failed' })
  }
  const context = { fetch, url: '', key: 'sk-test', sleep, now: () => 0 }
  const [outcome] = await drive({ flow: 'openai-video' }, context)
  expect(outcome!.ended).toBe('failed')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

const small = { size: '128x96', seconds: 1 } as const
const steady: Rule = { match: { op: '*.submit' }, task: { queued: '5s', render: '20s' } }

describeTransports((open) => {
  it('submits a video, polls it every five seconds until it has ended, and downloads it', async () => {
    await using transport = await open({ rules: [steady] })
    const [outcome] = await driveAt(transport, { flow: 'video', ...small })
    expect(outcome).toMatchObject({ name: 'video-1', ended: 'succeeded', reason: '' })
    expect(outcome!.files).toEqual([
      { path: expect.stringMatching(/content$/), bytes: expect.any(Number), sha256: expect.any(String) },
    ])
    const journal = transport.sim.journal()
    expect(operationsOf(journal)).toBe('submit poll poll poll poll poll poll content')
    expect(gapsOf(journal)).toEqual([0, 5, 5, 5, 5, 5, 0])
  })

  it('lets no timeout pass on the clock while a request is in flight, even after a halt that makes all timers due', async () => {
    startTimeoutsAtOnce()
    await using transport = await open({ rules: [steady] })
    const [outcome] = await driveAt(transport, { flow: 'video', ...small })
    expect(outcome).toMatchObject({ ended: 'succeeded', reason: '' })
    expect(gapsOf(transport.sim.journal())).toEqual([0, 5, 5, 5, 5, 5, 0])
  })

  it('drives several at once, each with a prompt of its own', async () => {
    await using transport = await open({ rules: [steady] })
    const outcomes = await driveAt(transport, { flow: 'openai-video', prompt: 'a kite', n: 3, ...small })
    expect(outcomes.map(({ ended }) => ended)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    const prompts = transport.sim.journal({ operation: 'videos.create' }).map(({ prompt }) => prompt)
    expect(prompts).toEqual(['a kite', 'a kite, take 2', 'a kite, take 3'])
  })

  it('presses the buttons of drawings, answers dialogs, and looks at every picture', async () => {
    await using transport = await open()
    const actions = ['upscale 2', 'vary 3', 'repaint', 'zoom', 'pan left']
    const [outcome] = await driveAt(transport, { flow: 'drawing', prompt: 'a lighthouse', actions })
    expect(outcome).toMatchObject({ ended: 'succeeded', reason: '' })
    expect(outcome!.tasks).toHaveLength(6)
    expect(outcome!.files).toHaveLength(6)
    expect(transport.sim.journal({ operation: 'mj.modal' })).toHaveLength(1)
    expect(transport.sim.journal({ operation: 'mj.image' })).toHaveLength(6)
  })

  it.each([
    ['text', 'MAX_TOKENS'],
    ['text-stream', 'MAX_TOKENS'],
    ['chat', 'length'],
    ['chat-stream', 'length'],
  ] as const)('reports a %s that reached its token limit, and does not retry it', async (flow, reason) => {
    await using transport = await open({
      text: { answers: [{ text: 'Kites fly because', finish: 'length' }] },
    })
    const [outcome] = await driveAt(transport, { flow, prompt: 'Why do kites fly?' })

    expect(outcome).toMatchObject({
      ended: 'failed',
      reason: `the text is incomplete, finish reason ${reason}`,
      text: 'Kites fly because',
    })
    expect(transport.sim.journal()).toHaveLength(1)
  })

  it.each(['text', 'text-stream', 'chat', 'chat-stream'] as const)('reads a %s to its end', async (flow) => {
    await using transport = await open({ text: { mode: 'echo' } })
    const [outcome] = await driveAt(transport, { flow, prompt: 'a boat on the sea' })
    expect(outcome).toMatchObject({ ended: 'succeeded', text: expect.stringContaining('a boat on the sea') })
    expect(transport.sim.journal()).toHaveLength(1)
  })
})
