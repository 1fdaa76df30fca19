import type { TextEnd } from '../text/ends/end.ts'
import type { Respond, Rule, Scenario } from '../../scenario/vocabulary/types.ts'

/** The prefix of the ids of rules that explorations inject. */
export const rulePrefix = 'fault-'

/** A gateway that differs from ours in one way, for a whole run. The client must come to the same result. */
export interface Variant {
  readonly id: string
  /** It matters only to clients that use this operation. */
  readonly operation: string
  /** Only clients that stream, or whose streams call tools, can see it. */
  readonly at?: 'stream' | 'calls'
  /** Whether no client can be blamed for what it does with it: the report advises only. */
  readonly isUnread?: boolean
  /** Whether its results differ from ours. */
  readonly hasOwnResult?: true
  /** What a client does that works with it. */
  readonly advice: string
  /** The option that a scenario must set for it to be tried. */
  readonly needs?: 'resultExpiresAfter'
  readonly quirks?: Readonly<Record<string, string>>
  readonly config?: Scenario['config']
  readonly rules?: readonly Rule[]
}

/** What exploration needs of an API beyond roles: its own ways to be different, and to say what can go wrong. */
export interface ApiExploration {
  readonly variants?: readonly Variant[]
  /** How it refuses a task for which its queue has no room, as an injection with a name of its own. */
  readonly fullQueue?: { readonly id: string; readonly description: string; readonly respond: Respond }
  /** The rule after which its polls give no reason of a failure. */
  readonly absentReason?: Omit<Rule, 'id'>
  /** How it says that a text ended at the limit of tokens. */
  readonly tokenLimit?: string
  /** The ways in which its texts end, besides complete answers. */
  readonly textEnds?: readonly TextEnd[]
  /** A poll with a status that its document doesn't name. */
  readonly unknownStatus?: Respond
}

/**
 * Refuses the first use of a link; the next poll gives another. It doesn't affect a client that builds URLs itself.
 * @param status of the refusal.
 */
export function expiredResults(id: string, operation: string, status = 403): Variant {
  const expired: Rule = {
    id: `${rulePrefix}expired-link`,
    optional: true,
    match: { op: operation, query: { until: { exists: true } } },
    on: 1,
    respond: { status, error: { message: 'This link has expired' } },
  }
  const advice =
    'A link expires: download from the link of the last poll. If it has expired, poll again for a new one.'
  return { id, operation, advice, config: { resultExpiresAfter: '1h' }, rules: [expired] }
}
