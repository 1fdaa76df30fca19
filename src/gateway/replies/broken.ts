import { sampleDuration } from '../../engine/random/distribution.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Fault, Fraction, WireFault } from '../../scenario/faults/fault.ts'
import { shareOf } from '../../scenario/fraction.ts'
import type { PacedPiece, Reply } from './reply.ts'

const event = /^data: [\s\S]*?(?:\r\n\r\n|\n\n)/gm
const eventData = /^(data: )([\s\S]*?)(\r\n\r\n|\n\n)/

/** Every event twice, one behind the other. A stream that has no events, such as an array, stays as it is. */
function* withDoubledEvents(pieces: Iterable<PacedPiece>): Generator<PacedPiece, void> {
  for (const piece of pieces) {
    yield { ...piece, text: piece.text.replace(event, (whole) => whole + whole) }
  }
}

/**
 * Each piece comes in two, parted inside its first character of several bytes; a piece without one comes whole.
 * Together they are the same bytes.
 */
function* withSplitCharacters(pieces: Iterable<PacedPiece>): Generator<PacedPiece, void> {
  const encoder = new TextEncoder()
  for (const piece of pieces) {
    // Behind half a character, and in front of its other half, nothing else may be.
    const bytes = encoder.encode(piece.text)
    const wide = bytes.findIndex((byte) => byte > 0x7f)
    if (wide < 0) {
      yield piece
      continue
    }
    const { atMs } = piece
    yield { text: '', bytes: bytes.subarray(0, wide + 1), atMs, part: 'half' }
    yield { ...piece, text: '', bytes: bytes.subarray(wide + 1) }
  }
}

/** One chunk, from the middle of the stream, whose JSON stops half-way; the event itself ends as it should. */
function withBrokenEvent(pieces: Iterable<PacedPiece>): readonly PacedPiece[] {
  const all = [...pieces]
  const chunks = all.flatMap(({ part }, index) => (part === undefined ? [index] : []))
  const chosen = chunks[Math.floor(chunks.length / 2)]
  return all.map((piece, index) => (index === chosen ? { ...piece, text: halved(piece.text) } : piece))
}

function halved(text: string): string {
  const [whole, field, data, end] = eventData.exec(text) ?? []
  if (whole === undefined) return half(text)
  return `${field}${half(data!)}${end}${text.slice(whole.length)}`
}

function half(text: string): string {
  const characters = [...text]
  return characters.slice(0, Math.ceil(characters.length / 2)).join('')
}

/** Whom the dice of a fault concern. */
export interface FaultChance {
  readonly draws: Draws
  /** The id of the rule that broke the answer. */
  readonly rule: string
  /** The task, or the identity of the request. */
  readonly subject: string
  /** How often the same request came before. */
  readonly attempt: number
}

const defaultShare = 0.5
const defaultAlteredBytes = 16
const maxAlteredBytes = 10_000
const defaultWrongType = 'text/html; charset=utf-8'

/**
 * An answer with a fault in it: the one place where what a rule says becomes what a door does. Faults of what is said
 * change the reply; those of the wire are drawn and put into {@link Reply.fault}, for the door to carry out.
 *
 * Pure. A fault that can't befall such an answer, as doubled events a picture, leaves it as it is. So does `stale`: it
 * concerns which answer is given, which is decided before there is one.
 *
 * @param reply the answer as it should have been: call this behind `route.respond`.
 * @param address where the request went, origin and query included; a redirect loop leads there.
 */
export function broken(reply: Reply, fault: Fault, chance: FaultChance, address: string): Reply {
  switch (fault.type) {
    case 'stale':
      return reply
    case 'hang':
      return { ...reply, delayMs: Infinity }
    case 'wrong-type':
      return withType(reply, fault.mediaType ?? defaultWrongType)
    case 'invalid-json':
      return withBrokenJson(reply)
    case 'redirect-loop':
      return leadingTo(address, reply)
    case 'duplicate-events':
      return withPieces(reply, withDoubledEvents)
    case 'split-character':
      return withPieces(reply, withSplitCharacters)
    default:
      return { ...reply, fault: drawn(fault, chance) }
  }
}

function drawn(fault: Fault & { type: WireFault['type'] }, chance: FaultChance): WireFault {
  const { draws, rule, subject, attempt } = chance
  switch (fault.type) {
    case 'reset': {
      const isMidBody = fault.phase === 'mid-body' || (fault.phase === undefined && fault.at !== undefined)
      return isMidBody
        ? { type: 'reset', phase: 'mid-body', at: placeOf(fault.at) }
        : { type: 'reset', phase: 'before-headers' }
    }
    case 'slow-start': {
      const draw = draws.unit(`${rule}.slow-start`, subject, attempt)
      return { type: 'slow-start', forMs: sampleDuration(fault.for, draw) ?? Infinity }
    }
    case 'truncate':
      return { type: 'truncate', at: placeOf(fault.at) }
    case 'corrupt': {
      const count = Math.min(maxAlteredBytes, fault.bytes ?? defaultAlteredBytes)
      const place = (index: number): number => draws.unit(`${rule}.corrupt/${index}`, subject, attempt)
      return { type: 'corrupt', at: Array.from({ length: count }, (_, index) => place(index)) }
    }
    default:
      return fault
  }
}

/** A share that can't be read was refused with its rule. */
function placeOf(at: Fraction = defaultShare): number {
  return shareOf(at) || 0
}

function withType(reply: Reply, mediaType: string): Reply {
  const { body } = reply
  if (typeof body === 'object' && body !== null && 'media' in body) {
    return { ...reply, body: { ...body, conditions: { ...body.conditions, mediaType } } }
  }
  const others = Object.entries(reply.headers).filter(([name]) => name.toLowerCase() !== 'content-type')
  return { ...reply, headers: { ...Object.fromEntries(others), 'Content-Type': mediaType } }
}

/** JSON that stops in its middle; of a stream, that of one event. */
function withBrokenJson(reply: Reply): Reply {
  const { body } = reply
  if (typeof body !== 'string') return withPieces(reply, withBrokenEvent)
  return { ...reply, body: [...body].slice(0, Math.ceil([...body].length / 2)).join('') }
}

/** Method and body stay, so that a submission goes round as a poll does. */
function leadingTo(address: string, { delayMs }: Reply): Reply {
  return { status: 307, headers: { Location: address, 'Cache-Control': 'no-store' }, body: null, delayMs }
}

function withPieces(reply: Reply, change: (pieces: Iterable<PacedPiece>) => Iterable<PacedPiece>): Reply {
  const { body } = reply
  if (typeof body !== 'object' || body === null || !('pieces' in body)) return reply
  return { ...reply, body: { pieces: change(body.pieces) } }
}
