import type { Exchange } from '../gateway/exchange.ts'
import type { PacedBody } from '../gateway/replies/reply.ts'
import type { WireFault } from '../scenario/faults/fault.ts'
import { paceChunks } from './pace-chunks.ts'
import { BrokenOff, bytesOf, type BrokenBody, type Chunk, type Portions } from './chunks.ts'
import { waitOnClock } from './wait-on-clock.ts'

/** Faults after which there is no answer at all. */
export type Silence = 'reset' | 'close' | 'half-headers' | 'garbage'

/** Whether an answer is broken before its headers are whole, and how. */
export function silenceOf(fault: WireFault | undefined): Silence | undefined {
  if (fault === undefined) return undefined
  if (fault.type === 'reset') return fault.phase === 'before-headers' ? 'reset' : undefined
  const { type } = fault
  return type === 'close' || type === 'half-headers' || type === 'garbage' ? type : undefined
}

/** More at once would make a slow client costly. */
const pieceBytes = 256 * 1024
/** How often in a second something drips. */
const dripsPerSecond = 10
const maxDripBytes = 16 * 1024
/** Where a malformed chunk stands. */
const halfWay = 0.5

/**
 * A body as a fault leaves it, from the moment at which its headers are out. Every wait is on the exchange's clock, and
 * ends when the client leaves.
 *
 * @param body bytes that are all there, or a stream. Places in a stream are shares of all that it would have said.
 * @throws {BrokenOff} where the connection is to break off.
 */
export function brokenBody(
  fault: WireFault,
  body: Uint8Array | PacedBody,
  exchange: Exchange,
  signal: AbortSignal,
): Portions {
  const source = body instanceof Uint8Array ? body : { pieces: [...body.pieces] }
  const total = source instanceof Uint8Array ? source.length : lengthOf(source)
  const laterMs = fault.type === 'slow-start' ? fault.forMs : 0
  // Pieces stay apart, so that it can be told how many of them went out whole.
  const whole =
    source instanceof Uint8Array
      ? inPieces(source, exchange, signal, laterMs)
      : paceChunks(source, exchange, signal, { laterMs, together: 0 })
  if (fault.type === 'slow-start') return afterHeaders(whole)
  if (fault.type === 'drip')
    return dripping(whole, { total, bytesPerSecond: fault.bytesPerSecond }, exchange, signal)
  if (fault.type === 'truncate') return breakingOff(whole, placeIn(total, fault.at), 'close')
  if (fault.type === 'reset' && fault.phase === 'mid-body')
    return breakingOff(whole, placeIn(total, fault.at), 'reset')
  if (fault.type === 'malformed-chunk')
    return breakingOff(whole, Math.max(1, placeIn(total, halfWay)), 'malformed-chunk')
  if (fault.type === 'corrupt') return altering(whole, alteredPlaces(total, fault.at))
  return whole
}

/** Bytes of which some are others, as many as places are named; a place that is named twice passes it on. */
export function altered(bytes: Uint8Array, at: readonly number[]): Uint8Array {
  return alterFrom(bytes, alteredPlaces(bytes.length, at), 0)
}

function alteredPlaces(total: number, at: readonly number[]): ReadonlySet<number> {
  const places = new Set<number>()
  for (const share of at.slice(0, total)) {
    let place = placeIn(total, share)
    while (places.has(place)) place = (place + 1) % total
    places.add(place)
  }
  return places
}

function alterFrom(bytes: Uint8Array, places: ReadonlySet<number>, from: number): Uint8Array {
  const copy = bytes.slice()
  for (const place of places) {
    const index = place - from
    // Every bit is turned, so that the byte is another one whatever it was.
    if (index >= 0 && index < copy.length) copy[index]! ^= 0xff
  }
  return copy
}

/** The byte at a share of the whole; never behind the last, so that something is always missing from there on. */
function placeIn(total: number, share: number): number {
  return Math.max(0, Math.min(total - 1, Math.floor(total * share)))
}

function lengthOf({ pieces }: PacedBody): number {
  let total = 0
  for (const { text, bytes } of pieces) total += (bytes ?? bytesOf(text)).length
  return total
}

/** The client gets the headers by themselves. */
async function* afterHeaders(portions: Portions): Portions {
  yield { data: '', isAlone: true }
  yield* portions
}

async function* inPieces(
  bytes: Uint8Array,
  exchange: Exchange,
  signal: AbortSignal,
  laterMs: number,
): Portions {
  if (laterMs > 0) await waitOnClock(exchange, laterMs, signal)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    signal.throwIfAborted()
    yield { data: bytes.subarray(at, at + pieceBytes) }
  }
}

async function* dripping(
  portions: Portions,
  { total, bytesPerSecond }: { total: number; bytesPerSecond: number },
  exchange: Exchange,
  signal: AbortSignal,
): Portions {
  const { clock } = exchange
  const most = Math.min(maxDripBytes, Math.max(1, Math.floor(bytesPerSecond / dripsPerSecond)))
  let free = clock.now()
  let sent = 0
  for await (const { data, ...portion } of portions) {
    const bytes = bytesOf(data)
    free = Math.max(free, clock.now())
    for (let at = 0; at < bytes.length; at += most) {
      const drop = bytes.subarray(at, at + most)
      // What is left of a millisecond counts for the next drop.
      free += (1000 * drop.length) / bytesPerSecond
      signal.throwIfAborted()
      const waitMs = Math.ceil(free) - clock.now()
      if (waitMs > 0) await waitOnClock(exchange, waitMs, signal)
      sent += drop.length
      const part = at + most < bytes.length ? { data: drop } : { ...portion, data: drop }
      // A client may leave as soon as it has the last one.
      yield { ...part, isAlone: sent < total }
    }
    if (bytes.length === 0) yield { ...portion, data: bytes }
  }
}

async function* breakingOff(portions: Portions, stop: number, how: BrokenBody): Portions {
  let at = 0
  for await (const portion of portions) {
    const bytes = bytesOf(portion.data)
    if (at + bytes.length > stop) {
      if (stop > at) yield { data: bytes.subarray(0, stop - at) }
      break
    }
    at += bytes.length
    yield { ...portion, data: bytes }
  }
  throw new BrokenOff(how, how === 'close' ? 'cut' : 'error')
}

async function* altering(portions: Portions, places: ReadonlySet<number>): Portions {
  let from = 0
  for await (const portion of portions) {
    const bytes: Uint8Array = bytesOf(portion.data)
    yield { ...portion, data: alterFrom(bytes, places, from) } satisfies Chunk
    from += bytes.length
  }
}
