import type { Respond, RuleMatch } from './rule.ts'

/**
 * How much a gateway lets through. Limits are asked before the rules, in the order of the file, and each that a request
 * passes is charged; the first that is used up answers.
 *
 * @example
 * const limit: Limit = {
 *   id: 'submissions',
 *   match: { op: 'video.submit' },
 *   per: 'key',
 *   bucket: { capacity: 2, refill: '1/10s' },
 * }
 */
export interface Limit {
  /** The limit's name in journal and reports. By default its place in the list: `limit-1`. */
  id?: string
  /** Whether it may never refuse a request without failing a verdict. */
  optional?: boolean
  match: RuleMatch
  /** Whom it is counted for. By default each key. */
  per?: 'key' | 'namespace'
  /** A bucket of tokens on virtual time: full at first, one less for each request, and filled again at a rate. */
  bucket?: Bucket
  /** How many tasks that such requests made may be unfinished at a time; another is refused. */
  concurrent?: number
  /** How many tasks that such requests made are worked on at a time; others wait in the queue for their turn. */
  workers?: number
  /** When all such requests are refused: windows of virtual time, as in `30s..55s`. */
  outage?: string | readonly string[]
  /** The refusal. By default 429, and 503 in an outage, with `retryAfter: auto`. */
  respond?: Respond
}

export interface Bucket {
  /** How many requests may come at once. */
  capacity: number
  /** How fast it fills again, up to its capacity: `1/10s` is one request each ten seconds. */
  refill: string
}
