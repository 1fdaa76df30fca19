import { expect, it } from 'vitest'
import type { StreamShape } from '../../src/index.ts'
import { describeTransports, openSocket } from '../support/transports.ts'
import { breakAnswers, outcomeOf } from '../support/faults.ts'
import { ask, eventsOf, postChat, postNative, say, textOf, type NativeAnswer } from '../support/text.ts'

const text = 'Once there was a small boat that had never been at sea.'
const shaped = (stream: StreamShape) => ({ rules: [{ id: 'shape', match: { op: '*' }, stream }] })
const chat = { ...ask('tell me of the boat'), stream: true }

interface ChatChunk {
  choices: { delta: { content?: string }; finish_reason: string | null }[]
}

const wordsOf = (events: readonly unknown[]): string[] =>
  (events as ChatChunk[]).flatMap(({ choices }) => choices?.map(({ delta }) => delta.content ?? '') ?? [])

describeTransports((open) => {
  it('answers with the text of a rule, word by word, in both APIs', async () => {
    await using gateway = await open(shaped({ text, chunk: 'word' }))
    const native = await (await postNative(gateway, 'streamGenerateContent', say('x'))).text()
    const chunks = eventsOf(native) as NativeAnswer[]
    expect(chunks.map((chunk) => textOf(chunk))).toEqual(text.match(/\s*\S+/g))
    const events = wordsOf(eventsOf(await (await postChat(gateway, chat)).text()))
    expect(events.join('')).toBe(text)
    expect(gateway.sim.journal().map(({ stream }) => stream)).toEqual([
      { chunks: 12, ended: 'finished' },
      { chunks: 12, ended: 'finished' },
    ])
  })

  it('answers with it also without a stream', async () => {
    await using gateway = await open(shaped({ text, finishReason: 'length' }))
    const native = (await (await postNative(gateway, 'generateContent', say('x'))).json()) as NativeAnswer
    expect([textOf(native), native.candidates![0]!.finishReason]).toEqual([text, 'MAX_TOKENS'])
    const plain = (await (await postChat(gateway, ask('x'))).json()) as {
      choices: { message: { content: string }; finish_reason: string }[]
    }
    expect(plain.choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'length' })
  })

  it('stalls before it ends after the same chunk', async () => {
    const shape: StreamShape = {
      text,
      chunk: 'word',
      stall: { afterChunk: 5, for: '8s' },
      cut: { afterChunk: 5 },
    }
    await using gateway = await open(shaped(shape))
    const started = gateway.sim.clock.now()
    await (await postNative(gateway, 'streamGenerateContent', say('x'))).text()
    expect(gateway.sim.clock.now() - started).toBe(8_000)
  })

  it('waits for the first chunk, between chunks, and stalls after one', async () => {
    const shape: StreamShape = {
      text,
      chunk: 'word',
      firstToken: '1200ms',
      gap: '100ms',
      stall: { afterChunk: 5, for: '8s' },
    }
    await using gateway = await open({ ...shaped(shape), clock: { mode: 'manual' } })
    const started = gateway.sim.clock.now()
    const response = await postNative(gateway, 'streamGenerateContent', say('x'))
    const body = response.text()
    const instants: number[] = []
    for (;;) {
      await expect.poll(() => gateway.sim.clock.status().waiters + instants.length).toBeGreaterThan(0)
      const next = gateway.sim.clock.status().nextWaiter
      if (next === null) break
      instants.push(next - started)
      await gateway.sim.clock.advance(next - gateway.sim.clock.now())
    }
    expect(eventsOf(await body)).toHaveLength(12)
    const chunks = Array.from({ length: 12 }, (_, index) => 1200 + 100 * index + (index < 5 ? 0 : 8000))
    expect(instants).toEqual(chunks)
    expect(gateway.sim.journal()[0]!.firstByteAt).toBe(started + 1200)
  })

  it('breaks in the middle by an error in the words of its API', async () => {
    const error = { afterChunk: 8, status: 503, message: 'model overloaded' }
    await using gateway = await open(shaped({ text, chunk: 'word', error }))
    const events = eventsOf(await (await postChat(gateway, chat)).text())
    expect(events.at(-1)).toMatchObject({ error: { message: 'model overloaded', code: 503 } })
    expect(wordsOf(events.slice(0, -1)).join('')).toBe('Once there was a small boat that had')
    const response = await postNative(gateway, 'streamGenerateContent', say('x'))
    const { where, message } = await outcomeOf(async () => response)
    expect({ where, message }).toEqual({ where: 'body', message: 'terminated' })
    await expect
      .poll(() => gateway.sim.journal().map(({ stream, content }) => ({ stream, content })))
      .toEqual([
        { stream: { chunks: 8, ended: 'error' }, content: 'partial' },
        { stream: { chunks: 8, ended: 'error' }, content: 'partial' },
      ])
  })

  it.each([
    ['close', 'UND_ERR_SOCKET'],
    ['reset', 'ECONNRESET'],
  ] as const)('breaks in the middle by a %s of the connection', async (kind, code) => {
    await using gateway = await open(shaped({ text, chunk: 'word', error: { afterChunk: 3, kind } }))
    const outcome = await outcomeOf(() => postChat(gateway, chat))
    expect(outcome).toMatchObject({ where: 'body', message: 'terminated', code })
    await expect.poll(() => gateway.sim.journal()[0]!.stream).toEqual({ chunks: 3, ended: 'error' })
  })

  it('ends after a chunk as if it were complete, and the journal says that it was cut', async () => {
    await using gateway = await open(shaped({ text, chunk: 'word', cut: { afterChunk: 4 } }))
    const events = eventsOf(await (await postChat(gateway, chat)).text())
    expect(events).not.toContain('[DONE]')
    expect(wordsOf(events).join('')).toBe('Once there was a')
    await expect
      .poll(() => gateway.sim.journal()[0])
      .toMatchObject({
        outcome: 'completed',
        content: 'partial',
        stream: { chunks: 4, ended: 'cut' },
      })
  })

  it('splits characters between chunks', async () => {
    const kites = '🪁 雨中的纸船'
    await using gateway = await open(shaped({ text: kites, chunk: 'character' }))
    breakAnswers(gateway.sim, '/v1/chat/', { type: 'split-character' })
    const response = await postChat(gateway, chat)
    const pieces: Uint8Array[] = []
    for await (const piece of response.body!) pieces.push(piece)
    const apart = pieces.map((piece) => Buffer.from(piece).toString('utf8')).join('')
    expect(apart).toContain('\ufffd')
    const whole = Buffer.concat(pieces).toString('utf8')
    expect(wordsOf(eventsOf(whole)).join('')).toBe(kites)
  })
})

it('gives the finish reason in the words of each API', async () => {
  const reasons = [
    ['STOP', 'STOP', 'stop'],
    ['MAX_TOKENS', 'MAX_TOKENS', 'length'],
    ['content_filter', 'SAFETY', 'content_filter'],
    ['RECITATION', 'RECITATION', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'MALFORMED_FUNCTION_CALL', 'malformed_function_call'],
  ] as const
  for (const [reason, native, plain] of reasons) {
    await using gateway = await openSocket(shaped({ text, finishReason: reason }))
    const body = await (await postNative(gateway, 'streamGenerateContent', say('x'))).text()
    expect((eventsOf(body).at(-1) as NativeAnswer).candidates![0]!.finishReason).toBe(native)
    const chunks = eventsOf(await (await postChat(gateway, chat)).text()) as ChatChunk[]
    const finish = chunks.flatMap(({ choices }) => choices?.map(({ finish_reason }) => finish_reason) ?? [])
    expect(finish.filter((reason) => reason !== null)).toEqual([plain])
  }
})

it('draws the pauses of a rule by its id, the same in every run', async () => {
  const tookMs = async (id: string): Promise<number> => {
    const stream = { text, chunk: 'word', gap: { uniform: ['10ms', '10s'] } } as const
    await using gateway = await openSocket({ rules: [{ id, match: { op: 'text.stream' }, stream }] })
    const started = gateway.sim.clock.now()
    await (await postNative(gateway, 'streamGenerateContent', say('x'))).text()
    return gateway.sim.clock.now() - started
  }
  const first = await tookMs('one')
  expect(await tookMs('one')).toBe(first)
  expect(await tookMs('another')).not.toBe(first)
})
