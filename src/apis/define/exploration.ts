import type { Respond, Rule, Scenario } from '../../scenario/vocabulary/types.ts'

/** A gateway that differs from ours in one way, for a whole run. The client must come to the same result. */
export interface Variant {
  readonly id: string
  /** It matters only to clients that use this operation. */
  readonly operation: string
  readonly quirks?: Readonly<Record<string, string>>
  readonly config?: Scenario['config']
  readonly rules?: readonly Rule[]
}

/** What exploration needs of an API beyond roles: its own ways to be different, and to say what can go wrong. */
export interface Exploration {
  readonly variants?: readonly Variant[]
  /** How it refuses a task for which its queue has no room. */
  readonly fullQueue?: Respond
  /** The rule after which its polls give no reason of a failure. */
  readonly absentReason?: Omit<Rule, 'id'>
  /** How it says that a text ended at the limit of tokens. */
  readonly tokenLimit?: string
  /** A poll with a status that its document doesn't name. */
  readonly unknownStatus?: Respond
}

/**
 * The first link to a result has expired when the client comes, and a poll gives a new one. A client that builds the URL itself is not
 * concerned.
 */
export function expiredResults(id: string, operation: string): Variant {
  const expired: Rule = {
    id: 'fault-expired-link',
    optional: true,
    match: { op: operation, query: { until: { exists: true } } },
    on: 1,
    respond: { status: 403, error: { message: 'This link has expired' } },
  }
  return { id, operation, config: { resultExpiresAfter: '1h' }, rules: [expired] }
}
