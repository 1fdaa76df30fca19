import type { MediaShape, Respond, Rule, StreamShape } from '../vocabulary/types.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { Fault } from '../faults/index.ts'

/** Behind which chunk a stream is cut. */
export function cutAfter(cut: StreamShape['cut']): number {
  return typeof cut === 'number' ? cut : (cut?.afterChunk ?? Infinity)
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
  /** One for each rule. */
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
