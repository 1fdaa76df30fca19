import { noDecision, type RuleDecision } from './rule.ts'
import type { RuleEvaluation, RuleState } from './rule-state.ts'

/** Adds the effect of a later rule to the decision so far. Earlier rules win. */
export function combined(
  before: RuleDecision | undefined,
  { id, rule }: RuleState,
  { effect }: RuleEvaluation,
): RuleDecision {
  const { delayMs, respond, fault } = effect!
  const { task, stream, media } = rule
  return {
    ...noDecision,
    ...(stream && { stream }),
    ...(media && { media }),
    ...(respond && { respond }),
    ...(fault && { fault }),
    ...before,
    rules: [...(before?.rules ?? []), id],
    delayMs: before?.delayMs ? before.delayMs : delayMs,
    task: { ...task, ...before?.task },
  }
}
