import type { Respond, RuleMatch } from '../rules/rule.ts'

/**
 * What a gateway gives only so much of, on the virtual clock. Limits are asked before the rules; the first that is used
 * up answers.
 *
 * @example
 * const limit: Throttle = { match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }
 * await using sim = createSimulator({ throttles: [limit] })
 */
export interface Throttle {
  /** The limit's name in journal and reports. By default its place in the list. */
  id?: string
  /** Whether it may never refuse anything without failing a verdict. */
  optional?: boolean
  /** Which requests it concerns. */
  match: RuleMatch
  /** Whether each key, or each namespace, has its own. Default `key`. */
  per?: 'key' | 'namespace'
  /** A token bucket: how many requests at once, and how fast they come back, such as `1/10s`. */
  bucket?: { capacity: number; refill: string }
  /** How many tasks may be under way at a time; more are refused. */
  concurrent?: number
  /** How many tasks are worked on at a time; more wait for each other. */
  workers?: number
  /** When nothing goes at all: `30s..55s`. */
  outage?: string
  /** How it refuses. By default 429 with `Retry-After`, and 503 in an outage. */
  respond?: Respond
}
