import { didYouMean } from '../../engine/did-you-mean.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { effectAdvice, effects } from '../../scenario/rules/check-rule.ts'
import { fitsVariable } from '../../scenario/rules/variables.ts'
import type { LintFinding } from '../types.ts'
import { ruleName } from './lint-rules.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

type Rule = NonNullable<Scenario['rules']>[number]

/** Finds rules without effect, variables that no rule sets, and placeholders that nothing replaces. */
export function lintEffects(scenario: Scenario, operations: OperationTable): LintFinding[] {
  return [
    ...withoutEffect(scenario, operations),
    ...unsetVariables(scenario),
    ...unknownPlaceholders(scenario),
  ]
}

/**
 * Finds rules without effect. Such a rule is useful only if an expectation counts it, or if it withholds requests from
 * later rules.
 */
function withoutEffect({ rules = [], expect = {} }: Scenario, operations: OperationTable): LintFinding[] {
  const counted = new Set([
    ...Object.keys(expect.rules ?? {}),
    ...(expect.requests ?? []).flatMap(({ rule = [] }) => rule),
    ...(expect.sometimes ?? []).flatMap((each) => ('rule' in each ? [each.rule] : [])),
  ])
  return rules.flatMap((rule, index): LintFinding[] => {
    if (effects.some((effect) => rule[effect] !== undefined)) return []
    if (counted.has(rule.id ?? `rule-${index + 1}`)) return []
    if (!rule.continue && shields(rule, rules.slice(index + 1), operations)) return []
    const message = `${ruleName(rule, index)} has no effect. ${effectAdvice}, or remove the rule.`
    return [{ severity: 'mistake', place: ['rules', index], message }]
  })
}

function shields(rule: Rule, others: readonly Rule[], operations: OperationTable): boolean {
  const concerned = operations.selectedBy(rule.match)
  return others.some(({ match }) =>
    operations.selectedBy(match).some((operation) => concerned.includes(operation)),
  )
}

function unsetVariables({ rules = [] }: Scenario): LintFinding[] {
  const assignments = rules.flatMap(({ set }) => Object.entries(set ?? {}))
  const names = [...new Set(assignments.map(([name]) => name))]
  return rules.flatMap((rule, index) =>
    Object.entries(rule.when?.vars ?? {}).flatMap(([name, wanted]): LintFinding[] => {
      const values = assignments.flatMap(([set, value]) => (set === name ? [value ?? undefined] : []))
      const counts = values.some((value) => typeof value === 'object')
      if (counts && (typeof wanted === 'number' || typeof wanted === 'object')) return []
      if ([undefined, ...values].some((value) => typeof value !== 'object' && fitsVariable(wanted, value)))
        return []
      const what = names.includes(name)
        ? `no rule sets the variable "${name}" to ${JSON.stringify(wanted)}`
        : `no rule sets the variable "${name}".${didYouMean(name, names)}`
      const message = `${ruleName(rule, index)} never fires: ${what.replace(/\.$/, '')}. Add set to a rule, or leave it out.`
      return [{ severity: 'mistake', place: ['rules', index, 'when', 'vars', name], message }]
    }),
  )
}

const placeholders = ['${url}', '${key}']

function unknownPlaceholders({ config = {} }: Scenario): LintFinding[] {
  return Object.entries(config.env ?? {}).flatMap(([name, text]) =>
    [...new Set(text.match(/\$\{[^}]*\}?/g))]
      .filter((placeholder) => !placeholders.includes(placeholder))
      .map((placeholder): LintFinding => {
        const hint = didYouMean(placeholder, placeholders)
        const message = `nothing replaces ${placeholder}.${hint} Use ${placeholders.join(' and ')}.`
        return { severity: 'mistake', place: ['config', 'env', name], message: `${name}: ${message}` }
      }),
  )
}
