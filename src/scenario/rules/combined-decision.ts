import { noDecision, type RuleDecision } from './rule.ts'
import type { RuleEvaluation, RuleState } from './rule-state.ts'

/** What is decided already, with what a rule behind it adds. */
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
