import type { DurationSpec } from '../engine/distribution.ts'
import type { TaskShape } from '../engine/lifecycle.ts'

/**
 * One line of the script: which requests it concerns, which of them it picks, and what happens to those.
 *
 * @example
 * const rule: Rule = { id: 'second-fails', match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure' } }
 */
export interface Rule {
  /** The rule's name in the journal and the key of its dice. By default its place in the list. */
  id?: string
  match: RuleMatch
  /** Only the how-manieth of the requests it concerns, counted from 1. */
  on?: number | readonly number[]
  /** How often it may fire. */
  times?: number
  /** The likelihood that it fires, from 0 to 1. */
  chance?: number
  /** Whether `on` and `times` count for each namespace or for each task. */
  per?: 'namespace' | 'task'
  /** How long the answer waits, on the clock, after it was decided. */
  delay?: DurationSpec
  /** What happens to the task that the request makes. */
  task?: TaskShape
}

export interface RuleMatch {
  /** An operation, or several by `*`: `video.*`. */
  op: string
  /** The requested model; `*` stands for any run of characters. */
  model?: string
  /** The prompt; `*` stands for any run of characters. */
  prompt?: string
}

/** What a rule may ask about a request. */
export interface RuleSubject {
  operation: string
  namespace: string
  /** The task it concerns; before there is one, the identity of the request. */
  subject: string
  /** How often the same request came before. */
  attempt: number
  model?: string
  prompt?: string
}

/** What the rules decided for a request. */
export interface RuleDecision {
  /** The rules that fired. */
  rules: readonly string[]
  delayMs: number
  task: TaskShape
}

/** What is decided where no rule fires. */
export const noDecision: RuleDecision = { rules: [], delayMs: 0, task: {} }
