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
  /** What a client must do to work with it. */
  readonly advice: string
  /** The option that a scenario must set for it to be tried. */
  readonly needs?: 'resultExpiresAfter'
  /**
   * For a variant that only some responses of the operation show: their status, and the rule that fired. A run without one
   * proves nothing.
   */
  readonly visibleBy?: { readonly status: number; readonly rule: string }
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
 * Lets a link expire on its way: the first poll that shows the end takes longer than its link lives. The gateway refuses the link until
 * another poll gives a new one. A client that builds URLs itself has no link that could expire.
 * @param words the state that shows the end, and the status of the refusal.
 */
export function expiredResults(
  id: string,
  operation: string,
  { success = 'SUCCESS', status = 403 }: { readonly success?: string; readonly status?: number } = {},
): Variant {
  const [api] = operation.split('.')
  const rule = `${rulePrefix}used-link`
  const slow: Rule = {
    id: `${rulePrefix}slow-link`,
    optional: true,
    match: { op: `${api}.*`, role: 'poll', state: success },
    on: 1,
    delay: '40s',
  }
  const advice =
    'A link expires: download from the link of the last poll. If it has expired, poll again for a new one.'
  // It changes nothing, but fires for links of the gateway: a URL that the client has built expires, too, but is not such a
  // link.
  const used: Rule = {
    id: rule,
    optional: true,
    match: { op: operation, query: { until: { exists: true } } },
    delay: '1ms',
  }
  const visibleBy = { status, rule }
  return { id, operation, advice, config: { resultExpiresAfter: '30s' }, rules: [slow, used], visibleBy }
}
