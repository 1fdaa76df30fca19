import type { DurationSpec } from '../../engine/random/distribution.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { Fault, FaultType } from '../faults/index.ts'
import type { Fraction } from '../schema/fraction.ts'

export type Scalar = string | number | boolean

/**
 * One line of the script: which requests it concerns, which of them it picks, and what happens to those.
 *
 * @example
 * const flaky: Rule = { id: 'flaky', match: { op: 'video.poll' }, attempts: [429, 503, 'reset', 'ok'] }
 * const second: Rule = { match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure' } }
 * await using sim = createSimulator({ rules: [flaky, second] })
 */
export interface Rule {
  /** The rule's name in journal and reports, and the key of its dice. By default its place in the list. */
  id?: string
  /** Whether it may never fire without failing a verdict. */
  optional?: boolean
  /** Which requests it concerns. */
  match: RuleMatch
  /** Only the how-manieth of the requests it concerns, counted from 1. */
  on?: number | readonly number[]
  /** Only each so-manieth of them. */
  every?: number
  /** How often it may fire. */
  times?: number
  /** The likelihood that it fires, from 0 to 1, or a percentage. */
  chance?: Fraction
  /** Whether `on`, `every` and `times` count for each namespace, key or task. */
  per?: 'namespace' | 'key' | 'task'
  /** When it goes at all. Always, where it is left out. */
  when?: RuleWindow
  /** Whether rules behind it may add what it leaves open. */
  continue?: boolean
  /** Variables of the namespace that it sets; null takes one away. */
  set?: Readonly<Record<string, Scalar | null>>
  /** What becomes of the first, the second … attempt at the same thing; from then on, all is well. */
  attempts?: readonly Attempt[]
  /** An answer in place of the gateway's. */
  respond?: Respond
  /** What happens to the task that the request makes. */
  task?: TaskShape
  /** How long the answer waits, on the clock, after it was decided. */
  delay?: DurationSpec
  /** How a streamed text comes. */
  stream?: StreamShape
  /** Other bytes than the task's own. */
  media?: MediaShape
  /** How the answer breaks. */
  fault?: FaultType | Fault
}

/**
 * `ok`, a status, the name of a fault, or any of what a rule may do to an answer.
 *
 * @example
 * const attempts: Attempt[] = [503, 'reset', { respond: { status: 429, retryAfter: '10s' } }, 'ok']
 * sim.addRule({ match: { op: 'video.poll' }, attempts })
 */
export type Attempt =
  'ok' | number | FaultType | { respond?: Respond; fault?: FaultType | Fault; delay?: DurationSpec }

/**
 * Which requests a rule or a limit concerns: those for which all of it is true.
 *
 * @example
 * const match: RuleMatch = { op: ['video.submit', 'videos.create'], model: 'video-*', prompt: '*kite*' }
 * sim.addRule({ match, task: { outcome: 'failure', reason: 'no kites' } })
 * const { error } = await client.makeVideo('a red kite')
 * error // → 'no kites'
 */
export interface RuleMatch {
  /** An operation, or several by `*`: `video.*`. */
  op: string | readonly string[]
  /** The requested model; for a request about a task, the one that the task was made with. `*` stands for any run of characters. */
  model?: string
  /** The prompt, or that of the task that the request is about; `*` stands for any run of characters. */
  prompt?: string
  /** The video or drawing that the request is about; for a submission, the one that it makes. */
  task?: TaskMatch
  /**
   * Fields of the body by their paths, such as `messages[0].content` or `contents[*].parts[*].text`. For a request without a
   * body, those of the body that made its task.
   */
  body?: Readonly<Record<string, ValueMatch>>
  /** Headers by their names, in any case. */
  headers?: Readonly<Record<string, ValueMatch>>
  /** Parameters of the address by their names. */
  query?: Readonly<Record<string, ValueMatch>>
  /** The whole key, as the client sends it. */
  key?: ValueMatch
  namespace?: ValueMatch
  /** The state in which the task is that the request concerns. */
  state?: ValueMatch
}

/**
 * Which task a request must be about.
 *
 * @example
 * const second: TaskMatch = { nth: 2 }
 * sim.addRule({ match: { op: 'video.poll', task: second }, respond: { status: 503 } })
 */
export interface TaskMatch {
  /** Its place among the videos, or among the drawings, in the order of submission, from 1; or one of several. */
  nth?: number | readonly number[]
  /** The prompt that it was made with; `*` stands for any run of characters. */
  prompt?: string
  /** The model that it was made with; `*` stands for any run of characters. */
  model?: string
}

/**
 * A value that must be equal, or what must be true of it.
 *
 * @example
 * const small: ValueMatch = { in: ['128x96', '320x240'] }
 * const given: ValueMatch = { exists: true }
 * sim.addRule({ match: { op: 'video.submit', body: { size: small, image: given } }, delay: '1s' })
 */
export type ValueMatch =
  | Scalar
  | null
  | { equals: Scalar | null }
  | { glob: string }
  | { contains: string }
  /** Without look-around and back-references, at most 200 characters; tried on the first 10,000 characters. */
  | { regex: string; flags?: string }
  | { in: readonly (Scalar | null)[] }
  | { exists: boolean }
  | { not: ValueMatch }

/**
 * When a rule goes at all.
 *
 * @example
 * const when: RuleWindow = { clock: '30s..55s' }
 * sim.addRule({ match: { op: '*' }, when, respond: { status: 502 } })
 * await sim.clock.advance('40s')
 * await client.ask('Why do kites fly?') // throws Error: 502: …
 */
export interface RuleWindow {
  /** A stretch of virtual time since the namespace began, its end not included: `30s..55s`, `1m..`, `..10s`. */
  clock?: string
  /** Variables that must have these values; null: must not be set. */
  vars?: Readonly<Record<string, Scalar | null>>
}

/**
 * An answer in place of the gateway's own. What is left out is as the gateway would say it.
 *
 * @example
 * const respond: Respond = { status: 429, retryAfter: '10s', error: { message: 'Too many videos' } }
 * sim.next('video.submit', { respond })
 * const response = await client.post('/v1/video/generations', { model: 'video-1', prompt: 'a red kite' })
 * response.headers.get('retry-after') // → '10'
 */
export interface Respond {
  /** The HTTP status, from 200 to 599. */
  status?: number
  /** Headers on top of the usual ones. */
  headers?: Readonly<Record<string, string>>
  /** A text as it is, or anything else as JSON. */
  body?: unknown
  /** An error in the envelope of the surface. */
  error?: { message?: string; code?: string; type?: string }
  /** A `Retry-After`: a duration, or `auto` for the time until the limit or window lets the request through. */
  retryAfter?: string | number
  /** How `Retry-After` is written. */
  retryAfterFormat?: 'seconds' | 'date'
  /** The code of a drawing submission, with its description. */
  code?: number
  description?: string
}

/** Behind which chunk a stream is cut. */
export function cutAfter(cut: StreamShape['cut']): number {
  return typeof cut === 'number' ? cut : (cut?.afterChunk ?? Infinity)
}

/**
 * How a streamed text comes, and where it breaks. What is left out is as the model would have it.
 *
 * @example
 * const stream: StreamShape = {
 *   text: 'Paris is the capital of France.',
 *   chunk: 'word',
 *   gap: '50ms',
 *   error: { afterChunk: 3, kind: 'reset' },
 * }
 * sim.next('chat.complete', { stream })
 */
export interface StreamShape {
  /** What is said, in place of the model's words. */
  text?: string
  /** What a chunk is. */
  chunk?: 'token' | 'word' | 'character'
  /** How long until the first chunk. */
  firstToken?: DurationSpec
  /** Between two chunks. */
  gap?: DurationSpec
  /** How many tokens come in a second; the gap is added to that. */
  tokensPerSecond?: number
  /** A pause behind a chunk. */
  stall?: { afterChunk: number; for: DurationSpec }
  /** An error behind a chunk: as an event, or the connection closed or reset. */
  error?: { afterChunk: number; kind?: 'event' | 'close' | 'reset'; status?: number; message?: string }
  /** The stream ends behind a chunk as if it were whole: a number alone is that of the chunk. */
  cut?: number | { afterChunk: number }
  /** Why it ends, word for word, such as `length`. */
  finishReason?: string
}

/**
 * Other bytes than the task would have: a file, or a clip of another length or size.
 *
 * @example
 * const media: MediaShape = { seconds: 2, size: '320x240', fps: 12 }
 * sim.addRule({ match: { op: 'video.submit' }, media })
 * const { request } = sim.task(await client.submitVideo('a red kite'))
 * request['made'] // → { width: 320, height: 240, seconds: 2, framesPerSecond: 12 }
 */
export interface MediaShape {
  /** A file beside the scenario. */
  file?: string
  /** The length of the clip. */
  seconds?: number
  /** `WIDTHxHEIGHT`, in pixels. */
  size?: string
  /** Frames in a second. */
  fps?: number
}

/** What a rule may ask about a request. */
export interface Matchable {
  operationName: string
  namespaceName: string
  /** The key as it was sent. */
  keyName: string
  /** The task it concerns; before there is one, the identity of the request. */
  subject: string
  /** How often the same request came before. */
  attempt: number
  /** The instant of admission, and how long ago the namespace's clock began. */
  now: number
  elapsedMs: number
  model?: string
  prompt?: string
  /** The state of the task it concerns. */
  state?: string
  /** The task it concerns, or is about to make. */
  task?: { readonly nth?: number; readonly model?: string; readonly prompt?: string }
  body: Readonly<Record<string, unknown>>
  /** One header, in lower case; empty when it is missing. */
  header: (name: string) => string
  query: string
}

/**
 * A rule with what has happened to it.
 *
 * @example
 * sim.next('video.submit', { respond: { status: 429 } })
 * const [rule]: ListedRule[] = sim.rules()
 * rule // → { layer: 'next', eligible: 0, fired: 0, … }
 */
export interface ListedRule {
  /** `next` and `added` at run time, `file` from the start; stronger layers come first. */
  layer: 'next' | 'added' | 'file'
  id: string
  /** The only one that it concerns; missing where it is for all. */
  namespace?: string
  /** How many requests it concerned, and how often it did something. */
  eligible: number
  fired: number
  /** Whether it has fired as often as it may. The latest 20 for a next request stay; those before them are forgotten. */
  spent: boolean
  rule: Rule
}

/** Why a rule fired, or didn't, in words. */
export interface RuleReason {
  readonly rule: string
  readonly fired: boolean
  readonly why: string
}

/** What the rules decided for a request. */
export interface RuleDecision {
  /** The rules that fired. */
  rules: readonly string[]
  /** One for each rule, for whoever asks why. */
  reasons: () => readonly RuleReason[]
  delayMs: number
  task: TaskShape
  respond?: Respond
  stream?: StreamShape
  media?: MediaShape
  fault?: Fault
}

/** What is decided where no rule fires. */
export const noDecision: RuleDecision = { rules: [], reasons: () => [], delayMs: 0, task: {} }
