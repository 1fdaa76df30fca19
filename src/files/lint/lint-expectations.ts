import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { isObject } from '../../engine/is-object.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { pluralize } from '../../engine/wording.ts'
import { fitsValue, needsPatterns } from '../../scenario/rules/match.ts'
import type { DriveStep, Scenario, ValueMatch } from '../../scenario/vocabulary/types.ts'
import { findFlow } from '../../apis/index.ts'
import type { LintFinding } from '../types.ts'
import { ruleName } from './lint-rules.ts'

/** Finds expectations that can't be met. */
export function lintExpectations(scenario: Scenario, operations: OperationTable): LintFinding[] {
  return [
    ...firesTooOften(scenario),
    ...statesOfNoTask(scenario, operations),
    ...tasksBeyondDrive(scenario, operations),
  ]
}

/**
 * Finds expectations that a rule fires more often than `times` or a list in `on` allow. Rules that count per key or task
 * are skipped.
 */
function firesTooOften({ rules = [], expect = {} }: Scenario): LintFinding[] {
  return Object.entries(expect.rules ?? {}).flatMap(([id, { fired }]): LintFinding[] => {
    const index = rules.findIndex((rule, place) => (rule.id ?? `rule-${place + 1}`) === id)
    const { times, on, attempts, per = attempts ? 'task' : 'namespace' } = rules[index] ?? {}
    const least = typeof fired === 'number' ? fired : (fired.min ?? 0)
    const [most, why] =
      on !== undefined && [on].flat().length < (times ?? Infinity)
        ? [new Set([on].flat()).size, `on ${[on].flat().join(', ')}`]
        : [times ?? Infinity, `times: ${times}`]
    if (per !== 'namespace' || least <= most) return []
    const message =
      `${ruleName({ id }, index)} fires at most ${most === 1 ? 'once' : `${most} times`} (${why}), never ${least} times. ` +
      `Expect ${most} at most, or change the rule.`
    return [{ severity: 'mistake', place: ['expect', 'rules', id, 'fired'], message }]
  })
}

/** Finds misspelt states. A task never reaches one, so `count: 0` would always pass, and a rule would never fire. */
function statesOfNoTask(
  { rules = [], config = {}, expect = {} }: Scenario,
  { lifecycles }: OperationTable,
): LintFinding[] {
  // A config that replaces the lifecycle defines its own states.
  const hasOwnStates = Object.values(config).some((group) => isObject(group) && 'lifecycle' in group)
  if (hasOwnStates) return []
  const states = [...new Set(lifecycles.flatMap((lifecycle) => Object.keys(lifecycle.states)))]
  const expected = (expect.tasks ?? []).flatMap(({ status = [] }, index) => {
    const unknown = [status].flat().find((state) => !states.includes(state))
    return unknown === undefined ? [] : neverSo(unknown, states, ['expect', 'tasks', index, 'status'])
  })
  const matched = rules.flatMap(({ match: { state } }, index) =>
    state === undefined || canBe(state, states)
      ? []
      : neverSo(state, states, ['rules', index, 'match', 'state']),
  )
  const timed = rules.flatMap(({ task }, index) =>
    (task?.timeline ?? []).flatMap((line, step) => {
      const status = 'status' in line ? line.status : undefined
      const place = ['rules', index, 'task', 'timeline', step, 'status']
      return status === undefined || states.includes(status) ? [] : neverSo(status, states, place)
    }),
  )
  return [...matched, ...timed, ...expected]
}

function neverSo(state: ValueMatch, states: readonly string[], place: readonly PropertyKey[]): LintFinding[] {
  const named = typeof state === 'string' ? state : JSON.stringify(state)
  const message = `no task is ever ${named}.${didYouMean(named, states)} Use ${states.join(', ')}.`
  return [{ severity: 'mistake', place, message }]
}

/** Whether a task can be in a matching state, or whether a request without a task matches. */
function canBe(state: ValueMatch, states: readonly string[]): boolean {
  return needsPatterns(state) || fitsValue(state, []) || states.some((each) => fitsValue(state, [each]))
}

/** A step, with the key of flows that press buttons. */
type ActingStep = DriveStep & { readonly actions?: readonly string[] }

function tasksBeyondDrive(
  { config = {}, drive, expect = {} }: Scenario,
  operations: OperationTable,
): LintFinding[] {
  if (!drive) return []
  const made: Record<string, number> = {}
  for (const { flow, n = 1, actions = [] } of drive as readonly ActingStep[]) {
    const kind = operations.find(findFlow(flow, config.apis).operations.submit)?.tasks
    if (kind !== undefined) made[kind] = (made[kind] ?? 0) + n * (1 + actions.length)
  }
  const lists = ['tasks', 'requests', 'artifacts', 'quiet'] as const
  return lists.flatMap((list) =>
    (expect[list] ?? []).flatMap((each, index): LintFinding[] => {
      const key = list === 'tasks' ? 'nth' : 'taskNth'
      const nth = (each as { readonly nth?: number; readonly taskNth?: number })[key]
      const kind = each.kind ?? operations.onlyKindOf(each)
      const most = kind ? (made[kind] ?? 0) : Math.max(0, ...Object.values(made))
      if (nth === undefined || nth <= most) return []
      const message =
        `${key} is ${nth}, but drive makes ${pluralize(most, kind === undefined ? 'task' : `${kind} task`)} at most. ` +
        'Lower it, or raise n of a step.'
      return [{ severity: 'mistake', place: ['expect', list, index, key], message }]
    }),
  )
}
