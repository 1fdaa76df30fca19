import { assert, array, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import {
  bytesOf,
  type Chunks,
  type ConnectionBreak,
  type PacedPiece,
  type Reply,
} from '../../src/engine/reply.ts'
import { drawFor } from '../../src/scenario/faults/fault.ts'
import { applyFault, findFault, viewedAt, type Fault } from '../../src/scenario/faults/index.ts'

const draws = keyedDraws(7)
const request = { rule: 'a rule', subject: 'task_1', attempt: 0 }
const address = 'http://gateway.example/v1/videos/task_1?x=1'
const jsonReply = (body: unknown): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
  delayMs: 0,
})
const poll = jsonReply({ code: 'success', data: { status: 'queued' } })

const apply = (reply: Reply, fault: Fault, change: Partial<typeof request> = {}): Reply => {
  const { rule, subject, attempt } = { ...request, ...change }
  return applyFault(reply, fault, { draw: drawFor(draws, [rule], subject, attempt), url: address })
}

const streamOf = (texts: readonly string[]): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'text/event-stream' },
  delayMs: 0,
  body: { pieces: texts.map((text, index) => ({ text, atMs: 10 * index })) },
})

const piecesOf = ({ body }: Reply): PacedPiece[] => [...(body as { pieces: Iterable<PacedPiece> }).pieces]

const encoder = new TextEncoder()
const joined = (pieces: readonly PacedPiece[]): Buffer =>
  Buffer.concat(pieces.map(({ text, bytes }) => bytes ?? encoder.encode(text)))

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

it('draws the corrupt bytes from rule, subject and attempt only', () => {
  const placesOf = (change?: Partial<typeof request>): unknown =>
    apply(poll, { type: 'corrupt', bytes: 4 }, change).effect!.drawn
  expect(placesOf()).toEqual(placesOf())
  for (const change of [{ rule: 'another' }, { subject: 'task_2' }, { attempt: 1 }])
    expect(placesOf(change)).not.toEqual(placesOf())
  const places = placesOf() as number[]
  expect(places).toHaveLength(4)
  for (const place of places) expect(place >= 0 && place < 1).toBe(true)
})

it('turns fractions and durations into numbers, with defaults', () => {
  const effectOf = (fault: Fault): Reply['effect'] => apply(poll, fault).effect
  // Recordings compare this text.
  expect(JSON.stringify(effectOf({ type: 'reset' }))).toBe('{"noResponse":"reset"}')
  expect(effectOf({ type: 'reset', phase: 'mid-body' })).toMatchObject({ drawn: ['reset', 0.5] })
  expect(effectOf({ type: 'reset', at: '30%' })).toMatchObject({ drawn: ['reset', 0.3] })
  expect(effectOf({ type: 'truncate', at: '40%' })).toMatchObject({ drawn: ['close', 0.4] })
  expect(effectOf({ type: 'slow-start', for: '2s' })).toMatchObject({ drawn: 2000 })
  expect(apply(poll, { type: 'hang' })).toMatchObject({ delayMs: Infinity })
})

it('truncates JSON in the middle, never inside a character', () => {
  const reply = apply(jsonReply({ text: '🪁🪁🪁🪁' }), { type: 'invalid-json' })
  expect(() => JSON.parse(String(reply.body)) as unknown).toThrow()
  expect(() => encodeURIComponent(String(reply.body))).not.toThrow()
})

it('truncates the JSON of one event, and leaves the other events unchanged', () => {
  const texts = ['a', 'b', 'c'].map((text) => event({ text }))
  const broken = piecesOf(apply(streamOf(texts), { type: 'invalid-json' })).map(({ text }) => text)
  expect([broken[0], broken[2]]).toEqual([texts[0], texts[2]])
  expect(broken[1]).toMatch(/^data: \{"text"?\n\n$/)
})

it('changes the media type of any response', () => {
  const type = { type: 'wrong-type', mediaType: 'text/plain' } as const
  expect(apply(poll, type)).toMatchObject({ body: poll.body, headers: { 'Content-Type': 'text/plain' } })
  expect(Object.keys(apply(streamOf([]), type).headers)).toEqual(['Content-Type'])
  const video: Reply = {
    ...poll,
    body: { media: { kind: 'received', digest: 'x' }, conditions: {} as never, failed: {} as never },
  }
  expect(apply(video, type).body).toMatchObject({ conditions: { mediaType: 'text/plain' } })
})

it('redirects a request to its own URL, with its method and body', () => {
  expect(apply(poll, { type: 'redirect-loop' })).toMatchObject({
    status: 307,
    headers: { Location: address },
    body: null,
  })
})

it('sends every event twice', () => {
  const texts = [event({ text: 'a' }) + event({ text: 'b' }), 'data: [DONE]\r\n\r\n']
  const sent = piecesOf(apply(streamOf(texts), { type: 'duplicate-events' })).map(({ text }) => text)
  const [a, b, done] = [event({ text: 'a' }), event({ text: 'b' }), 'data: [DONE]\r\n\r\n']
  expect(sent).toEqual([a + a + b + b, done + done])
})

it('splits multi-byte characters without losing any', () => {
  assert(
    property(array(string({ unit: 'grapheme' })), (texts) => {
      const before = piecesOf(streamOf(texts))
      const after = piecesOf(apply(streamOf(texts), { type: 'split-character' }))
      expect(joined(after).equals(joined(before))).toBe(true)
      const counted = after.filter(({ part }) => part === undefined)
      expect(counted).toHaveLength(before.length)
      for (const { part, bytes } of after) {
        if (part !== 'half') continue
        expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow()
      }
    }),
  )
})

it.each([
  ['ab\x7fé!', 4],
  ['é', 1],
  ['a🪁é', 2],
])('splits %j after %i bytes', (text, bytes) => {
  const [half, rest] = piecesOf(apply(streamOf([text]), { type: 'split-character' }))
  expect(half).toEqual({ text: '', bytes: encoder.encode(text).slice(0, bytes), atMs: 0, part: 'half' })
  expect(rest).toEqual({ text: '', bytes: encoder.encode(text).slice(bytes), atMs: 0 })
})

it('leaves a piece without a character of several bytes unchanged', () => {
  const stream = streamOf(['a\x7f', ''])
  expect(piecesOf(apply(stream, { type: 'split-character' }))).toEqual(piecesOf(stream))
})

/** What a fault makes of a body on the wire: each piece with its instant, and how the connection ends. */
async function onTheWire(
  fault: Fault,
  pieces: readonly string[],
): Promise<{ sent: unknown[]; end: unknown }> {
  let now = 0
  const wait = async (durationMs: number): Promise<void> => void (now += durationMs)
  const totalBytes = pieces.join('').length
  async function* body(): Chunks {
    for (const data of pieces) yield { data }
  }
  const sent: unknown[] = []
  const { effect } = apply(poll, fault)
  const carried = effect!.carry!(body(), { totalBytes, now: () => now, wait })
  try {
    for await (const { data, isAlone } of carried)
      sent.push([
        Buffer.from(bytesOf(data)).toString('latin1'),
        now,
        ...(isAlone === undefined ? [] : [isAlone]),
      ])
  } catch (error) {
    return { sent, end: [(error as ConnectionBreak).how.name, (error as ConnectionBreak).ended] }
  }
  return { sent, end: 'complete' }
}

it('lets a body drip, each drop flushed by itself but for the last', async () => {
  expect(await onTheWire({ type: 'drip', bytesPerSecond: 20 }, ['abcd', 'e'])).toEqual({
    sent: [
      ['ab', 100, true],
      ['cd', 200, true],
      ['e', 250, false],
    ],
    end: 'complete',
  })
})

it('breaks a body off at its share, inside a piece or between two', async () => {
  expect(await onTheWire({ type: 'reset', at: '75%' }, ['abcd', 'efgh'])).toEqual({
    sent: [
      ['abcd', 0],
      ['ef', 0],
    ],
    end: ['reset', 'error'],
  })
  expect(await onTheWire({ type: 'reset', at: 0.5 }, ['abcd', 'efgh'])).toEqual({
    sent: [['abcd', 0]],
    end: ['reset', 'error'],
  })
})

it('leaves a response unchanged if a fault does not apply to it', () => {
  for (const type of ['duplicate-events', 'split-character', 'stale'] as const)
    expect(apply(poll, { type })).toEqual(poll)
})

it('returns a task at half its age, or at the age of the rule, never before its creation', () => {
  const task = { submittedAt: 1000, now: 21_000 }
  const draw = drawFor(draws, ['a rule'], 'task_1', 0)
  expect(viewedAt(undefined, task, draw)).toBe(21_000)
  expect(viewedAt({ type: 'reset' }, task, draw)).toBe(21_000)
  expect(viewedAt({ type: 'stale' }, task, draw)).toBe(11_000)
  expect(viewedAt({ type: 'stale', by: '5s' }, task, draw)).toBe(16_000)
  expect(viewedAt({ type: 'stale', by: '1h' }, task, draw)).toBe(1000)
})

it('sends chunks where one of them is to be malformed', () => {
  expect(apply(poll, { type: 'malformed-chunk' }).effect).toMatchObject({ isChunked: true })
  expect(apply(poll, { type: 'reset', at: 0.5 }).effect).toMatchObject({ isChunked: false })
})

it('corrupts the same bytes of a body in however many pieces it is sent', async () => {
  const text = 'abcdefghijklmnopqrstuvwxyz'
  const corrupted = async (pieces: string[]): Promise<number[]> => {
    const { sent } = await onTheWire({ type: 'corrupt', bytes: 5 }, pieces)
    return Array.from(Buffer.concat((sent as [string][]).map(([piece]) => Buffer.from(piece, 'latin1'))))
  }
  const whole = await corrupted([text])
  const wrong = whole.filter((byte, at) => byte !== text.charCodeAt(at))
  expect(wrong).toHaveLength(5)
  expect(await corrupted([text.slice(0, 3), text.slice(3, 20), text.slice(20)])).toEqual(whole)
})

/** What a fault without a response sends before the connection ends. */
function lastBytesOf(type: 'half-headers' | 'garbage' | 'malformed-chunk', head: string): unknown {
  const [end] = findFault(type).ends!
  return end!.lastBytes!(head)
}

it('sends the start line and half of the headers', () => {
  const line = 'HTTP/1.1 200 OK'
  expect(lastBytesOf('half-headers', `${line}\r\nContent-Type: a/b\r\n\r\n`)).toBe(`${line}\r\nContent-Ty`)
  expect(lastBytesOf('half-headers', `${line}\r\nA: b\r\nC: d\r\n`)).toBe(`${line}\r\nA: b\r`)
})

it('sends bytes that are no HTTP, or no chunk', () => {
  expect(lastBytesOf('garbage', '')).toEqual(Uint8Array.from([21, 3, 3, 0, 2, 2, 40]))
  expect(lastBytesOf('malformed-chunk', '')).toBe('zz\r\nnot a chunk\r\n')
})

it('sends the headers of a slow start at once, and its body or its pieces later', async () => {
  expect(await onTheWire({ type: 'slow-start', for: '2s' }, ['ab', 'c'])).toEqual({
    sent: [
      ['', 0, true],
      ['ab', 2000],
      ['c', 2000],
    ],
    end: 'complete',
  })
  const stream = apply(streamOf(['a', 'b']), { type: 'slow-start', for: '2s' })
  expect(piecesOf(stream).map(({ text, atMs }) => [text, atMs])).toEqual([
    ['a', 2000],
    ['b', 2010],
  ])
})

it.each<[Fault, string[], unknown]>([
  [{ type: 'truncate' }, ['abcd'], ['close', 'cut']],
  [{ type: 'truncate', at: '25%' }, ['abcd'], ['close', 'cut']],
  [{ type: 'truncate', at: '100%' }, ['abcd'], ['close', 'cut']],
  [{ type: 'truncate', at: 0 }, ['abcd'], ['close', 'cut']],
  [{ type: 'malformed-chunk' }, ['abcd'], ['malformed-chunk', 'error']],
])('sends the share of a body that %j leaves', async (fault, pieces, end) => {
  const { at = 0.5 } = fault as { at?: string | number }
  const share = typeof at === 'number' ? at : Number.parseInt(at, 10) / 100
  const data = 'abcd'.slice(0, Math.min(3, 4 * share))
  expect(await onTheWire(fault, pieces)).toEqual({ sent: data === '' ? [] : [[data, 0]], end })
})

it('corrupts every byte of a body that has fewer than a fault corrupts', async () => {
  const { sent } = await onTheWire({ type: 'corrupt', bytes: 9 }, ['abc'])
  expect(sent).toEqual([[Buffer.from([0x61 ^ 0xff, 0x62 ^ 0xff, 0x63 ^ 0xff]).toString('latin1'), 0]])
})
