import type { OnlyEffect, RuleReason } from '../../scenario/rules/rule.ts'
import type { Exchange } from '../exchange.ts'
import { joinSentences } from '../replies/errors.ts'

/** Why an effect changed nothing, as the hint of the exchange. */
const hints: Readonly<Record<OnlyEffect, (x: Exchange) => string>> = {
  fields: ({ decision: { respond } }) => {
    const paths = [...(respond?.omit ?? []), ...Object.keys(respond?.set ?? {})]
    return `${paths.slice(0, 5).join(', ')} ${paths.length === 1 ? 'is' : 'are'} not in this response, or had that value already.`
  },
  fault: ({ decision: { fault } }) => `The fault ${fault?.type} can't break this response.`,
  stream: () => 'The rule paces a streamed text, and this one is not streamed.',
}

/**
 * Takes back that rules fired whose only effect changed nothing, so that no expectation counts it, and the rule may still fire
 * for a later request. The exchange then has no fault either.
 */
export function withdrawRules(x: Exchange, only: OnlyEffect): void {
  const { entry, decision, core, namespace } = x
  if (only === 'fault') entry.fault = null
  const hint = hints[only](x)
  entry.hint = entry.hint === null ? hint : joinSentences(entry.hint, hint)
  const ids = (decision.uncertain ?? []).flatMap((each) => (each.only === only ? [each.rule] : []))
  if (ids.length === 0) return
  const request = {
    subject: x.subject,
    accountName: x.caller.account,
    operationName: x.route!.operation,
    namespaceName: namespace.name,
  }
  for (const id of ids) core.rules.withdraw(id, request)
  entry.rules = entry.rules.filter((id) => !ids.includes(id))
  entry.reasons = withoutFiring(entry.reasons, ids)
}

/** Outside of `withdrawRules`, because the journal retains the closure, and with it the variables of its scope. */
function withoutFiring(reasons: () => readonly RuleReason[], ids: readonly string[]): () => RuleReason[] {
  return () =>
    reasons().map((reason) =>
      ids.includes(reason.rule)
        ? { ...reason, fired: false, why: `${reason.why}, which changed nothing` }
        : reason,
    )
}
