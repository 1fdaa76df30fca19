import type { DurationSpec } from '../../engine/random/distribution.ts'

/**
 * A way to break an answer. Plain ones first.
 *
 * On the wire:
 * - `reset`: the connection is reset; `phase` before the headers, or in the middle of the body, at `at`.
 * - `close`: the connection is closed without an answer.
 * - `hang`: nothing comes until the client leaves.
 * - `slow-start`: the headers come at once, the body after `for`.
 * - `drip`: the body comes at `bytesPerSecond`.
 * - `truncate`: the body ends at `at`, though its length was announced.
 * - `half-headers`, `garbage`, `malformed-chunk`: what no HTTP client should accept.
 *
 * In the answer itself:
 * - `corrupt`: `bytes` of the body are others; length and entity tag are those of the good one.
 * - `wrong-type`: another media type, `type`.
 * - `invalid-json`: the JSON breaks off in the middle, with a length that fits.
 * - `redirect-loop`: an address that leads to itself.
 * - `duplicate-events`: every event of a stream comes twice.
 * - `split-character`: a stream is cut inside a character of several bytes.
 * - `stale`: a poll that goes back in time once, by `by`.
 *
 * @example
 * const fault: Fault = { type: 'truncate', at: '50%' }
 * const task = await client.submitVideo('a red kite [[render 1s]]')
 * await sim.clock.advanceUntil(task, 'SUCCESS')
 * sim.next('video.content', { fault })
 * const response = await client.get(`/v1/videos/${task}/content`)
 * await response.arrayBuffer() // throws TypeError: terminated
 */
export type Fault =
  | {
      readonly type: 'reset'
      readonly phase?: 'before-headers' | 'mid-body'
      readonly at?: Fraction
      readonly lost?: Lost
    }
  | { readonly type: 'close'; readonly lost?: Lost }
  | { readonly type: 'hang'; readonly lost?: Lost }
  | { readonly type: 'slow-start'; readonly for: DurationSpec }
  | { readonly type: 'drip'; readonly bytesPerSecond: number }
  | { readonly type: 'truncate'; readonly at?: Fraction }
  | { readonly type: 'half-headers'; readonly lost?: Lost }
  | { readonly type: 'garbage'; readonly lost?: Lost }
  | { readonly type: 'malformed-chunk' }
  | { readonly type: 'corrupt'; readonly bytes?: number }
  | { readonly type: 'wrong-type'; readonly mediaType?: string }
  | { readonly type: 'invalid-json' }
  | { readonly type: 'redirect-loop' }
  | { readonly type: 'duplicate-events' }
  | { readonly type: 'split-character' }
  | { readonly type: 'stale'; readonly by?: DurationSpec }

/**
 * What got lost where a client sees no answer: the request, so that nothing happened, or only the answer to it, so that
 * a task was made that the client doesn't know of. The request, where it isn't said.
 */
export type Lost = 'request' | 'answer'

/** Whether nothing happened but that the client got no answer. */
export function losesRequest(fault: Fault): boolean {
  if (!('lost' in fault) && !noAnswer.has(fault.type)) return false
  if ('lost' in fault && fault.lost === 'answer') return false
  return fault.type !== 'reset' || (fault.phase !== 'mid-body' && fault.at === undefined)
}

const noAnswer: ReadonlySet<string> = new Set(['reset', 'close', 'hang', 'half-headers', 'garbage'])

/**
 * A fault by its name, with everything else about it as usual.
 *
 * @example
 * const faults: FaultType[] = ['reset', 'close', 'invalid-json']
 * for (const fault of faults) sim.addRule({ match: { op: 'video.poll' }, chance: '5%', fault })
 */
export type FaultType = Fault['type']

/** A part of a whole: 0 to 1, or a percentage such as `40%`. */
export type Fraction = number | string

/** Every kind of fault, in the order of the docs. */
export const faultTypes = [
  'reset',
  'close',
  'hang',
  'slow-start',
  'drip',
  'truncate',
  'half-headers',
  'garbage',
  'malformed-chunk',
  'corrupt',
  'wrong-type',
  'invalid-json',
  'redirect-loop',
  'duplicate-events',
  'split-character',
  'stale',
] as const satisfies readonly FaultType[]

/**
 * A fault that a door carries out, with everything drawn: bytes are whole numbers, times milliseconds.
 * Those that concern only what is said are applied to the reply before a door sees it.
 */
export type WireFault =
  | { readonly type: 'reset'; readonly phase: 'before-headers' }
  | { readonly type: 'reset'; readonly phase: 'mid-body'; readonly at: number }
  | { readonly type: 'close' }
  | { readonly type: 'slow-start'; readonly forMs: number }
  | { readonly type: 'drip'; readonly bytesPerSecond: number }
  | { readonly type: 'truncate'; readonly at: number }
  | { readonly type: 'half-headers' }
  | { readonly type: 'garbage' }
  | { readonly type: 'malformed-chunk' }
  /** Which bytes are others: positions as shares of the body, from 0 to 1. */
  | { readonly type: 'corrupt'; readonly at: readonly number[] }
