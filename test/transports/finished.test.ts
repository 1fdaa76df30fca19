import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { describeTransportsAnd, type OpenTransport } from '../support/transports.ts'
import { ask, postChat, postNative, say } from '../support/text.ts'
import { needs, servedRows } from '../support/needs.ts'

/** The first token is due at once. */
const paced = { text: { timing: { tokensPerSecond: 1 } } } as const

type Ask = (gateway: OpenTransport) => Promise<Response>

const streams: readonly { name: string; operation: string; open: Ask; final: string }[] = servedRows([
  {
    name: 'a chat at its finish reason',
    operation: 'chat.complete',
    open: (gateway) => postChat(gateway, { ...ask('ünï kïtes'), stream: true }),
    final: '"finish_reason":"stop"',
  },
  {
    name: 'a chat at [DONE]',
    operation: 'chat.complete',
    open: (gateway) => postChat(gateway, { ...ask('ünï kïtes'), stream: true }),
    final: '[DONE]',
  },
  {
    name: 'a text at its finish reason',
    operation: 'text.stream',
    open: (gateway) => postNative(gateway, 'streamGenerateContent', say('ünï kïtes')),
    final: '"finishReason"',
  },
  {
    name: 'a response at its completion',
    operation: 'responses.create',
    open: (gateway) =>
      gateway.call('/v1/responses', {
        method: 'POST',
        headers: { Authorization: 'Bearer sk-test', 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: 'sim-text-1', input: 'ünï kïtes', stream: true }),
      }),
    final: '"type":"response.completed"',
  },
])

const faults = [null, 'split-character', 'drip', 'slow-start', 'duplicate-events', 'wrong-type'] as const

const rulesOf = (fault: (typeof faults)[number]): EmbeddedOptions => {
  const fields = { drip: { bytesPerSecond: 10_000 }, 'slow-start': { for: '5s' } }
  const more = fields[fault as keyof typeof fields] as object | undefined
  return fault === null ? {} : { rules: [{ match: { op: '*' }, fault: { type: fault, ...more } as never }] }
}

/** Reads a stream up to the end of the event with a word, and leaves. */
async function readUntil(response: Response, word: string): Promise<void> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const at = text.indexOf(word)
    if (at >= 0 && /\r?\n\r?\n/.test(text.slice(at))) break
  }
  await reader.cancel()
}

const settled = async ({ sim }: OpenTransport): Promise<unknown> => {
  await expect.poll(() => sim.journal().at(-1)?.outcome).not.toBe('open')
  const { outcome, content, stream } = sim.journal().at(-1)!
  return { outcome, content, ended: stream?.ended }
}

describeTransportsAnd('express')((open, transport) => {
  // Express and sockets have one writer, which sends the chunks of each stream.
  const faultsOf = (stream: (typeof streams)[number]) =>
    transport !== 'direct' && transport !== 'msw' && stream !== streams[0] ? [null] : faults
  it.each(streams.flatMap((stream) => faultsOf(stream).map((fault) => ({ ...stream, fault }))))(
    'counts $name as finished, with the fault $fault',
    async ({ open: start, final, fault }) => {
      await using gateway = await open({ ...paced, ...rulesOf(fault) })
      await readUntil(await start(gateway), final)
      expect(await settled(gateway)).toEqual({ outcome: 'completed', content: 'complete', ended: 'finished' })
    },
  )

  it('counts a stream as finished whose client leaves before the end that follows the final event', async () => {
    await using gateway = await open()
    const { sim } = gateway
    await (await streams[0]!.open(gateway)).text()
    const { chunks } = sim.journal()[0]!.stream!
    sim.addRule({ match: { op: '*' }, stream: { stall: { afterChunk: chunks, for: '1h' } } })
    const startedAt = sim.clock.now()
    using hold = sim.clock.hold('the end of the stream')
    await readUntil(await streams[0]!.open(gateway), streams[0]!.final)
    expect(await settled(gateway)).toEqual({ outcome: 'completed', content: 'complete', ended: 'finished' })
    expect(sim.clock.now()).toBe(startedAt)
    hold.release()
  })

  it.each(streams)(
    'sees a client leave in the middle of a stream that $name would finish',
    async (stream) => {
      await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
      const reader = (await stream.open(gateway)).body!.getReader()
      await reader.read()
      await reader.cancel()
      expect(await settled(gateway)).toEqual({ outcome: 'aborted', content: 'partial', ended: 'aborted' })
    },
  )

  it('judges no stream that broke only after its final event', async () => {
    needs('chat.complete')
    await using gateway = await open({
      ...paced,
      rules: [{ match: { op: '*' }, fault: { type: 'truncate', at: '99%' } }],
    })
    using run = gateway.sim.watch({ always: ['reads-stream-to-end'] })
    await readUntil(await streams[0]!.open(gateway), streams[0]!.final)
    expect(await settled(gateway)).toEqual({ outcome: 'completed', content: 'complete', ended: 'finished' })
    expect(await run.verdict()).toMatchObject({ passed: true, results: [{ verdict: 'pass' }] })
  })
})
