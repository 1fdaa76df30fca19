import { didYouMean } from '../../engine/did-you-mean.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { formatOrdinal } from '../../engine/wording.ts'
import type { LintFinding } from '../types.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

type Rule = NonNullable<Scenario['rules']>[number]
type Throttle = NonNullable<Scenario['throttles']>[number]
type Match = Rule['match']

/** Finds rules that never fire, and keys of rules that can't apply. */
export function lintRules(
  { rules = [], throttles = [] }: Scenario,
  operations: OperationTable,
): LintFinding[] {
  const inPlace = rules.flatMap((rule, index) => [
    ...onBeyondTimes(rule, index),
    ...onWithEvery(rule, index),
    ...attemptsBeyondTimes(rule, index),
    ...outOfPlace(rule, index, operations),
    ...unknownOutcome(rule, index, operations),
  ])
  const idle = throttles.flatMap((throttle, index) => idleWorkers(throttle, index, operations))
  return [...idle, ...deadRules(rules, operations), ...inPlace]
}

/** The name of a rule in messages. */
export function ruleName({ id }: { readonly id?: string }, index: number): string {
  return `rule "${id ?? `rule-${index + 1}`}"`
}

/** A rule that fires on every matching request. */
interface Taker {
  readonly rule: Rule
  readonly index: number
  readonly operations: ReadonlySet<string>
}

function deadRules(rules: readonly Rule[], operations: OperationTable): LintFinding[] {
  const takers: Taker[] = []
  return rules.flatMap((rule, index): LintFinding[] => {
    const concerned = operations.selectedBy(rule.match)
    const taker = takers.find(
      ({ operations: taken, rule: { match } }) =>
        concerned.every((operation) => taken.has(operation)) && isWider(match, rule.match),
    )
    if (isUnconditional(rule)) takers.push({ rule, index, operations: new Set(concerned) })
    if (!taker) return []
    const message =
      `${ruleName(rule, index)} never fires: ${ruleName(taker.rule, taker.index)} in front of it takes every request ` +
      'that it concerns. Move it to the front, give the other a condition, or let the other continue.'
    return [{ severity: 'mistake', place: ['rules', index], message }]
  })
}

const conditions = ['on', 'from', 'every', 'times', 'when', 'attempts'] as const

function isUnconditional(rule: Rule): boolean {
  const isCertain = rule.chance === undefined || rule.chance === 1 || rule.chance === '100%'
  return isCertain && !rule.continue && conditions.every((condition) => rule[condition] === undefined)
}

/** Whether one match is wider than another: every condition, except its operations, is also one of the other match. */
export function isWider(match: Match, narrower: Match): boolean {
  return Object.entries(match).every(([key, condition]) => {
    if (key === 'op' || key === 'role' || (isGlob(key) && condition === '*')) return true
    return isWithin(condition, narrower[key as keyof Match])
  })
}

/** Whether an asterisk is a wildcard in this key. In others, it is a plain character. */
const isGlob = (key: string): boolean => key === 'model' || key === 'prompt'

/** Whether a condition is also a condition of the other match: equal, or equal in each of its fields. */
function isWithin(condition: unknown, other: unknown): boolean {
  if (JSON.stringify(condition) === JSON.stringify(other)) return true
  if (typeof condition !== 'object' || condition === null || typeof other !== 'object' || other === null)
    return false
  return Object.entries(condition).every(
    ([key, each]) => JSON.stringify(each) === JSON.stringify((other as Record<string, unknown>)[key]),
  )
}

/** Without `per`, `times` counts per operation and task, as attempts do. */
function attemptsBeyondTimes(rule: Rule, index: number): LintFinding[] {
  const { attempts = [], times, per } = rule
  const beyond = attempts.flatMap((attempt, nth) => (attempt === 'ok' ? [] : [nth])).slice(times ?? Infinity)
  if (per !== undefined || beyond.length === 0) return []
  const message =
    `${ruleName(rule, index)} fires at most ${times === 1 ? 'once' : `${times} times`} per operation and task: attempt ${beyond[0]! + 1} succeeds. ` +
    'Leave times out, or the attempt.'
  return [{ severity: 'mistake', place: ['rules', index, 'attempts', beyond[0]!], message }]
}

function onBeyondTimes({ id, on, times }: Rule, index: number): LintFinding[] {
  const wanted = [on ?? []].flat()
  if (times === undefined || wanted.length <= times) return []
  const message =
    `${ruleName({ ...(id !== undefined && { id }) }, index)} is to fire on ${wanted.join(', ')}, but only ${times} times: ` +
    `on ${wanted.slice(times).join(', ')} it never does. Leave times out.`
  return [{ severity: 'mistake', place: ['rules', index, 'times'], message }]
}

function onWithEvery(rule: Rule, index: number): LintFinding[] {
  const { on, every } = rule
  const never = [on ?? []].flat().filter((nth) => every !== undefined && nth % every !== 0)
  if (never.length === 0) return []
  const message =
    `${ruleName(rule, index)} is to fire on ${never.join(', ')}, but only every ${formatOrdinal(every!)} time: on ${never.join(', ')} ` +
    'it never does. Leave one out.'
  return [{ severity: 'mistake', place: ['rules', index, 'on'], message }]
}

function idleWorkers(
  { id, match, workers }: Throttle,
  index: number,
  operations: OperationTable,
): LintFinding[] {
  const { submissions } = operations
  const concerned = operations.selectedBy(match)
  if (workers === undefined || concerned.some((each) => submissions.includes(each))) return []
  const message =
    `throttle "${id ?? `throttle-${index + 1}`}" has workers, but ${concerned.join(', ')} never makes a task. ` +
    `Match ${submissions.slice(0, 4).join(', ')} or the like.`
  return [{ severity: 'mistake', place: ['throttles', index, 'workers'], message }]
}

/** Finds an outcome that no task of the matched operations can have. */
function unknownOutcome(rule: Rule, index: number, operations: OperationTable): LintFinding[] {
  const outcome = rule.task?.outcome
  if (outcome === undefined) return []
  const kinds = new Set(
    operations.selectedBy(rule.match).flatMap((each) => operations.find(each)?.tasks ?? []),
  )
  const ends = [...kinds].flatMap((kind) =>
    Object.entries(operations.lifecycleOf(kind)?.states ?? {}).flatMap(([state, { final }]) =>
      final ? [state] : [],
    ),
  )
  const known = [...new Set(['success', 'failure', 'cancelled', ...ends])]
  if (kinds.size === 0 || known.includes(outcome)) return []
  const message = `${ruleName(rule, index)}: no task ends as "${outcome}".${didYouMean(outcome, known)} Use ${known.join(', ')}.`
  return [{ severity: 'mistake', place: ['rules', index, 'task', 'outcome'], message }]
}

/** The operations to which a key of a rule applies. */
const applies = {
  task: { to: 'submissions', what: 'makes a task' },
  answer: { to: 'withWords', what: 'says a text' },
  stream: { to: 'texts', what: 'says a text' },
  media: { to: 'withMedia', what: 'has media' },
} as const

function outOfPlace(rule: Rule, index: number, operations: OperationTable): LintFinding[] {
  const concerned = operations.selectedBy(rule.match)
  return (['task', 'answer', 'stream', 'media'] as const).flatMap((key): LintFinding[] => {
    if (rule[key] === undefined) return []
    const { what } = applies[key]
    const to = operations[applies[key].to]
    if (concerned.some((operation) => to.includes(operation))) return []
    const message =
      `${ruleName(rule, index)} has ${key}, but ${concerned.join(', ')} never ${what}. ` +
      `Match ${to.slice(0, 4).join(', ')}${to.length > 4 ? ' or the like' : ''}.`
    return [{ severity: 'mistake', place: ['rules', index, key], message }]
  })
}
