import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { fitsValue } from '../../scenario/rules/match.ts'
import { formatOrdinal } from '../../engine/wording.ts'
import { parseFraction } from '../../scenario/schema/values.ts'
import type { LintFinding } from '../types.ts'
import { isWider, ruleName } from './lint-rules.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

type Rule = NonNullable<Scenario['rules']>[number]

/** Finds rules that never select a request, or whose requests an earlier rule takes. */
export function lintSelection(
  { rules = [], throttles = [] }: Scenario,
  operations: OperationTable,
): LintFinding[] {
  return [
    ...throttles.flatMap(({ id, match }, index) =>
      stateOfNoTask(match, ['throttles', index], `throttle "${id ?? `throttle-${index + 1}`}"`, operations),
    ),
    ...rules.flatMap((rule, index) => [
      ...stateOfNoTask(rule.match, ['rules', index], ruleName(rule, index), operations),
      ...impossible(rule, index),
    ]),
    ...behindOthers(rules, operations),
  ]
}

function stateOfNoTask(
  { op, role, state }: Rule['match'],
  place: readonly PropertyKey[],
  name: string,
  operations: OperationTable,
): LintFinding[] {
  if (state === undefined || (typeof state === 'object' && fitsValue(state, []))) return []
  const concerned = operations.selectedBy({ op, role })
  if (concerned.length === 0 || concerned.some((operation) => operations.aboutTasks.includes(operation)))
    return []
  const message =
    `${name} never fires: ${concerned.join(', ')} is about no task yet, so there is no state. ` +
    `Leave state out, or match ${operations.examples['poll']} or the like.`
  return [{ severity: 'mistake', place: [...place, 'match', 'state'], message }]
}

function impossible(rule: Rule, index: number): LintFinding[] {
  const { chance, on, from } = rule
  const name = ruleName(rule, index)
  if (chance !== undefined && parseFraction(chance) === 0) {
    const message = `${name} never fires: its chance is 0. Raise it, or remove the rule.`
    return [{ severity: 'mistake', place: ['rules', index, 'chance'], message }]
  }
  const early = on === undefined || from === undefined ? [] : [on].flat().filter((nth) => nth < from)
  if (early.length === 0) return []
  const message = `${name} never fires on ${early.join(', ')}: it begins with ${from}. Change on, or leave from out.`
  return [{ severity: 'mistake', place: ['rules', index, 'on'], message }]
}

/** A rule, with values that are compared often. */
interface Candidate {
  readonly rule: Rule
  readonly index: number
  readonly operations: readonly string[]
  readonly isDecisive: boolean
}

/** The keys that select a request by its number. */
const selectors = ['on', 'from', 'every', 'attempts'] as const

/** Finds rules behind others. Rules count every matching request, so two rules with the same match have the same counts. */
function behindOthers(rules: readonly Rule[], table: OperationTable): LintFinding[] {
  const candidates = rules.flatMap((rule, index): Candidate[] => {
    if (selectors.every((key) => rule[key] === undefined)) return []
    return [{ rule, index, operations: table.selectedBy(rule.match), isDecisive: decidesAlways(rule) }]
  })
  return candidates.flatMap((candidate, place) => {
    const { rule, index } = candidate
    for (const other of candidates.slice(0, place)) {
      if (!other.isDecisive) continue
      const found =
        sameOn(rule, other.rule) ??
        sameFrom(rule, other.rule) ??
        sameEvery(rule, other.rule) ??
        sameAttempts(rule, other.rule)
      if (!found || !countsAlike(other, candidate)) continue
      const [key, what, advice] = found
      const message =
        `${ruleName(rule, index)} ${what}: ${ruleName(other.rule, other.index)} in front of it decides those ` +
        `requests. ${advice}`
      return [{ severity: 'mistake' as const, place: ['rules', index, ...key], message }]
    }
    return []
  })
}

/** Whether a rule takes every request that its counts select. */
function decidesAlways({ chance, times, continue: goesOn, on }: Rule): boolean {
  const isCertain = chance === undefined || parseFraction(chance) === 1
  const isUnbounded = times === undefined || (on !== undefined && times >= [on].flat().length)
  return isCertain && isUnbounded && !goesOn
}

/** Keys that may differ between two requests about the same subject. With them, a wider match counts other requests. */
const varying = ['state', 'headers', 'query', 'key'] as const

/** The scope in which a rule counts. */
const scopeOf = ({ per, attempts }: Rule): string => per ?? (attempts ? 'subject' : 'namespace')

function countsAlike(
  { rule: other, operations: wide }: Candidate,
  { rule, operations: narrow }: Candidate,
): boolean {
  if (scopeOf(other) !== scopeOf(rule) || JSON.stringify(other.when) !== JSON.stringify(rule.when))
    return false
  if (!narrow.every((operation) => wide.includes(operation)) || !isWider(other.match, rule.match))
    return false
  const isSame = wide.length === narrow.length && isWider(rule.match, other.match)
  // Attempts are counted per subject and operation, so a wider match has the same counts.
  const countsSubjects = scopeOf(rule) === 'subject'
  return isSame || (countsSubjects && varying.every((key) => rule.match[key] === undefined))
}

type SelectionProblem = readonly [key: readonly PropertyKey[], what: string, advice: string]

function sameOn(rule: Rule, other: Rule): SelectionProblem | undefined {
  const { on, from = 1, every, attempts } = other
  if (rule.on === undefined || every !== undefined || attempts !== undefined) return undefined
  if (on === undefined && other.from === undefined) return undefined
  const isTaken = (nth: number): boolean => nth >= from && (on === undefined || [on].flat().includes(nth))
  const taken = [rule.on].flat().filter(isTaken)
  if (taken.length === 0) return undefined
  return [
    ['on'],
    `never fires on ${taken.join(', ')}`,
    'Change on, merge the two, or let the other continue.',
  ]
}

function sameFrom(rule: Rule, other: Rule): SelectionProblem | undefined {
  if (rule.from === undefined || rule.on !== undefined || other.from === undefined) return undefined
  if (other.on !== undefined || other.every !== undefined || other.attempts !== undefined) return undefined
  if (rule.from < other.from) return undefined
  return [['from'], 'never fires', 'Change from, merge the two, or let the other continue.']
}

function sameEvery(rule: Rule, other: Rule): SelectionProblem | undefined {
  if (rule.every === undefined || other.every === undefined || other.on !== undefined) return undefined
  if (other.from !== undefined || other.attempts !== undefined || rule.every % other.every !== 0)
    return undefined
  return [
    ['every'],
    `never fires on every ${formatOrdinal(rule.every)}`,
    'Change every, or let the other continue.',
  ]
}

function sameAttempts(rule: Rule, other: Rule): SelectionProblem | undefined {
  if (other.on !== undefined || other.from !== undefined || other.every !== undefined) return undefined
  const taken = (rule.attempts ?? []).findIndex((attempt, nth) => {
    const first = other.attempts?.[nth]
    return attempt !== 'ok' && first !== undefined && first !== 'ok'
  })
  if (taken < 0) return undefined
  return [
    ['attempts', taken],
    `never makes attempt ${taken + 1} fail`,
    'Both count from the first attempt: write one list of attempts, or ok where the other decides.',
  ]
}
