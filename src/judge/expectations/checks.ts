import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { pluralize } from '../../engine/wording.ts'
import { parseDuration } from '../../engine/clock/duration.ts'
import type { RuleCount } from '../../scenario/rules/rules.ts'
import type { InvariantReport } from '../invariants/invariant.ts'
import { invariants as allInvariants } from '../invariants/invariants.ts'
import { fitsCount, formatCount, formatMs, formatTimes } from '../ranges.ts'
import { type Check, type ExpectationFinding, type PlacedCheck, type RunState, placeCheck } from './check.ts'
import { commandChecks } from './command.ts'
import type { Allowances, Count, Expect, SometimesExpectation } from '../../scenario/vocabulary/types.ts'
import { unknownWaits } from '../waits.ts'
import { QuietCheck } from './quiet.ts'
import { RequestCheck, WebhookCheck } from './requests.ts'
import { SequenceCheck } from './sequence.ts'
import { spendCheck, artifactCheck, taskCheck } from './tasks.ts'
import { SettingsError } from '../../scenario/options.ts'
import { readPattern } from '../../scenario/schema/sequence-pattern.ts'
import { expectSchema } from '../../scenario/vocabulary/expect-schema.ts'
import { shippedOperations } from '../../apis/index.ts'
import { firstMistake } from '../../scenario/schema/mistakes.ts'

/**
 * Creates the checks for `expect`, in the order of the docs.
 * @throws {PatternError} {DurationError} for an invalid sequence or duration.
 */
export function createChecks(expect: Expect, operations: OperationTable): readonly PlacedCheck[] {
  const { tasks = [], requests = [], webhooks = [], artifacts = [], sequence = [], rules = {} } = expect
  const { quiet = [], always = [], sometimes = [], within, spend } = expect
  const mayFail = expect.command === 'any'
  return [
    ...commandChecks(expect),
    ...tasks.map((wanted, index) => placeCheck(['tasks', index], taskCheck(wanted))),
    ...requests.map((wanted, index) => new RequestCheck(['requests', index], wanted, operations)),
    ...webhooks.map((wanted, index) => new WebhookCheck(['webhooks', index], wanted)),
    ...artifacts.map((wanted, index) => placeCheck(['artifacts', index], artifactCheck(wanted, mayFail))),
    ...(typeof sequence === 'string'
      ? [new SequenceCheck(['sequence'], { is: sequence })]
      : sequence.map((wanted, index) => new SequenceCheck(['sequence', index], wanted))),
    ...Object.entries(rules).map(([id, { fired }]) =>
      placeCheck(['rules', id], (run) => judgeRule(id, fired, run)),
    ),
    ...quiet.map((wanted, index) => new QuietCheck(['quiet', index], wanted, operations)),
    ...always.map((wanted, index): PlacedCheck => {
      const { name, optional = false } = typeof wanted === 'string' ? { name: wanted } : wanted
      const judge: Check['judge'] = ({ invariants }) =>
        invariantFinding(invariants.find((report) => report.name === name)!)
      return { path: ['always', index], judge, isOptional: optional }
    }),
    ...sometimes.map((wanted, index) => inSomeRun(createSometimesCheck(wanted, index, operations))),
    ...(within === undefined ? [] : [withinCheck(within)]),
    ...(spend === undefined ? [] : [spendCheck(spend)]),
  ]
}

/** Reports an invariant as the finding of an expectation. */
function invariantFinding({
  name,
  verdict,
  exercised,
  violations,
  first,
  reason,
  doubtful,
}: InvariantReport): ExpectationFinding {
  return {
    verdict,
    expected: name,
    actual: first
      ? withTotal(first.message, violations)
      : (reason ?? `held, exercised ${formatTimes(exercised)}`),
    requests: first?.requests ?? [],
    ...(doubtful && {
      doubtful: {
        message: withTotal(doubtful.first.message, doubtful.count),
        requests: doubtful.first.requests,
      },
    }),
  }
}

const withTotal = (message: string, count: number): string =>
  count > 1 ? `${message} (${count} times in total)` : message

function judgeRule(id: string, fired: Count, { rules }: Pick<RunState, 'rules'>): ExpectationFinding {
  const count = rules.find((each) => each.id === id)
  const isOnceOrMore = typeof fired !== 'number' && fired.min === 1 && fired.max === undefined
  const times =
    typeof fired === 'number'
      ? formatTimes(fired)
      : isOnceOrMore
        ? 'at least once'
        : `${formatCount(fired)} times`
  return {
    verdict: count && fitsCount(fired, count.fired) ? 'pass' : 'fail',
    expected: `rule ${id} fires ${times}`,
    actual: count ? formatRuleCount(count) : 'there is no such rule',
    requests: [],
  }
}

function formatRuleCount({ fired, eligible }: RuleCount): string {
  const times = fired === 0 ? 'never fired' : `fired ${formatTimes(fired)}`
  return `${times}, eligible for ${pluralize(eligible, 'request')}`
}

/** A check that only one of several runs must meet. In each run, it passes or is not applicable. */
function inSomeRun(check: PlacedCheck): PlacedCheck {
  return {
    path: check.path,
    admitted: (entry, task, sent) => check.admitted?.(entry, task, sent),
    settled: (entry, task) => check.settled?.(entry, task),
    judge: (run) => {
      const finding = check.judge(run)
      const expected = `in at least one run: ${finding.expected}`
      if (finding.verdict === 'pass') return { ...finding, expected }
      return { ...finding, expected, actual: `not in this run: ${finding.actual}`, verdict: 'not-applicable' }
    },
  }
}

function createSometimesCheck(
  wanted: SometimesExpectation,
  index: number,
  operations: OperationTable,
): PlacedCheck {
  const path = ['sometimes', index]
  if ('task' in wanted) return placeCheck(path, taskCheck(wanted.task))
  if ('request' in wanted) return new RequestCheck(path, wanted.request, operations)
  const { rule, fired = { min: 1 } } = wanted
  return placeCheck(path, (run) => judgeRule(rule, fired, run))
}

/** Judges the duration of the run on the virtual clock, from its first request to its last response. */
function withinCheck(within: string): PlacedCheck {
  const maxMs = parseDuration(within)
  return placeCheck(['within'], ({ watch: { firstAt, lastAt } }) => {
    const expected = `all done within ${within}`
    if (firstAt === null || lastAt === null)
      return { verdict: 'not-exercised', expected, actual: 'there was no request', requests: [] }
    const elapsedMs = lastAt - firstAt
    const verdict = elapsedMs <= maxMs ? 'pass' : 'fail'
    return { verdict, expected, actual: `took ${formatMs(elapsedMs)}`, requests: [] }
  })
}

/**
 * Explains how to allow a failure, without the full stop.
 * @param isWithoutScenario whether the run has no scenario yet.
 */
export const explainAllowance = (key: keyof Allowances, isWithoutScenario = false): string =>
  isWithoutScenario
    ? `To allow it, run a scenario with "expect: { allow: { ${key}: true } }"`
    : `To allow it, write "expect: { allow: { ${key}: true } }"`

/**
 * The checks of every run. Each is in the verdict only if it is not met: rules that never fired or were not judged,
 * abandoned tasks, unmatched requests.
 */
export function judgeEveryRun(
  { rules = {}, allow = {}, always = [] }: Expect,
  { watch: { unmatched }, rules: counts, invariants }: RunState,
  isWithoutScenario = false,
): Pick<PlacedCheck & { finding: ExpectationFinding }, 'path' | 'finding'>[] {
  const unused = counts.filter(
    ({ id, fired, optional }) => fired === 0 && !optional && !allow.unusedRules && !Object.hasOwn(rules, id),
  )
  const failures = unused.map((count) => ({
    path: ['rules', count.id],
    finding: fail(`rule ${count.id} fires at least once, or is optional`, formatRuleCount(count)),
  }))
  failures.push(...findUnjudgedRules(invariants))
  const named = new Set(always.map((each) => (typeof each === 'object' ? each.name : each)))
  for (const { name, atEnd } of allInvariants) {
    const report = invariants.find((each) => each.name === name)
    if (!atEnd || !report?.first || named.has(name)) continue
    const { allow: key, expected } = atEnd
    const hint = `${explainAllowance(key, isWithoutScenario)}.`
    failures.push({ path: ['allow', key], finding: { ...invariantFinding(report), expected, hint } })
  }
  if (unmatched.count === 0 || allow.unmatched) return failures
  const lines = unmatched.first.map(({ number, method, path }) => `#${number} ${method} ${path}`)
  const more = unmatched.count > lines.length ? `, and ${unmatched.count - lines.length} more` : ''
  const finding = fail(
    'every request matches an operation',
    `${unmatched.count} without: ${lines.join(', ')}${more}`,
    unmatched.first.map(({ number }) => number),
  )
  const hint = [...unmatched.hints, `${explainAllowance('unmatched', isWithoutScenario)}.`].join(' ')
  return [...failures, { path: ['allow', 'unmatched'], finding: { ...finding, hint } }]
}

/** Finds rules that affected the client, although its reaction could not be judged. */
function findUnjudgedRules(
  invariants: readonly InvariantReport[],
): { path: string[]; finding: ExpectationFinding }[] {
  const names = new Map<string, string[]>()
  for (const { name, unjudgedRules = [] } of invariants)
    for (const id of unjudgedRules) names.set(id, [...(names.get(id) ?? []), name])
  return [...names].map(([id, by]) => ({
    path: ['rules', id],
    finding: {
      verdict: 'not-applicable',
      expected: `the client waits after rule ${id} as it should`,
      actual: `not judged by ${by.join(', ')}: ${unknownWaits}`,
      requests: [],
    },
  }))
}

function fail(expected: string, actual: string, requests: readonly number[] = []): ExpectationFinding {
  return { verdict: 'fail', expected, actual, requests }
}

/**
 * Checks expectations of callers without a compiler. With a misspelt key, every run would pass.
 * @param operations those that they may name. Default: those of the shipped APIs.
 * @throws {SettingsError} for an unknown key or an invalid value; {PatternError} for an invalid sequence.
 */
export function checkExpect(expect: unknown, operations: OperationTable = shippedOperations): void {
  const { sequence } = (expect ?? {}) as { readonly sequence?: unknown }
  if (typeof sequence === 'string') readPattern(sequence)
  const mistake = firstMistake(expectSchema, expect, operations)
  if (mistake !== undefined) throw new SettingsError(`Failed to read what is expected: ${mistake}`)
}
