import type { Rule } from '../../rules/rule.ts'
import { checkAgainst } from '../mistakes.ts'
import { ruleSchema } from '../../vocabulary/rule-schema.ts'
import { scenarioWords } from '../words.ts'

/**
 * Checks a rule that came from outside, such as over HTTP.
 * @returns the rule, or everything that is wrong with it, as sentences.
 */
export function checkRuleValue(value: unknown): { rule: Rule } | { mistakes: readonly string[] } {
  const checked = checkAgainst(ruleSchema, value, scenarioWords)
  if ('value' in checked) return { rule: checked.value as Rule }
  return {
    mistakes: checked.mistakes.map(({ place, isKey, isMissing, shown, message }) => {
      const path = place.map(String).join('.') || 'the rule'
      return isKey || isMissing ? `${path}: ${message}` : `${path} is ${shown}: ${message}`
    }),
  }
}
