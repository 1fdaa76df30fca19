import { placeText, type Position } from '../error.ts'
import type { LintFinding, LoadedScenario } from '../types.ts'
import { lintExpectations } from './lint-expectations.ts'
import { lintIdle } from './lint-idle.ts'
import { lintRules, ruleName } from './lint-rules.ts'
import { lintEffects } from './lint-effects.ts'
import { lintFields } from './lint-fields.ts'
import { lintSelection } from './lint-selection.ts'
import { effectOf, faultOf } from '../../scenario/rules/rule-state.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import { clockMapping } from '../../engine/clock/clock-settings.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { flowsWith, operationsWith } from '../../apis/index.ts'
import type { FlowKey } from '../../apis/define/flow.ts'
import { type FaultType, findFault } from '../../scenario/faults/index.ts'

/** Finds keys of a step that its flow doesn't read. */
function lintDrive({ config = {}, drive = [] }: Scenario): LintFinding[] {
  return drive.flatMap((step, index) =>
    Object.keys(step).flatMap((key): LintFinding[] => {
      const flows = flowsWith(config.apis)
        .filter(({ reads }) => reads.includes(key as FlowKey))
        .map(({ name }) => name)
      if (flows.length === 0 || flows.includes(step.flow)) return []
      const message = `${key} is for ${flows.join(', ')}: flow ${step.flow} ignores it. Leave it out.`
      return [{ severity: 'mistake', place: ['drive', index, key], message }]
    }),
  )
}

type FileClock = Exclude<NonNullable<Scenario['clock']>, string>

/** Finds a clock that would block the reference client forever, and clock settings without effect. */
function lintClock({ clock: given, drive = [] }: Scenario): LintFinding[] {
  const clock: FileClock = clockMapping(given) ?? {}
  const mode = clock.mode ?? (clock.rate === undefined ? 'auto' : 'scaled')
  const idle = mode === 'auto' ? [] : ofAuto.filter((key) => clock[key] !== undefined)
  const advice = idle.map((key): LintFinding => ({
    severity: 'advice',
    place: ['clock', key],
    message:
      `clock.${key} is for mode auto: in mode ${mode} it has no effect until the control API changes the mode. ` +
      'Leave it out, or take mode: auto.',
  }))
  return mode === 'manual' && drive.length > 0 ? [standsStill, ...advice] : advice
}

const ofAuto = ['pollStep', 'assume', 'participants', 'limit'] as const satisfies (keyof FileClock)[]

const standsStill: LintFinding = {
  severity: 'mistake',
  place: ['clock', 'mode'],
  message:
    "drive can't run on a clock of mode manual, which nothing moves. Use mode: auto, or leave drive out and run a " +
    'command that advances the clock.',
}

/**
 * Finds what selects nothing, can never fire or has no effect in a valid scenario.
 * @param operations those that the scenario may name. Default: those of the shipped APIs and of `apis`.
 * @returns the findings in the order of the file's parts; empty if there are none.
 */
export function lintScenario(
  scenario: Scenario,
  operations: OperationTable = operationsWith(scenario.config?.apis),
): LintFinding[] {
  return [
    ...lintClock(scenario),
    ...lintRules(scenario, operations),
    ...lintSelection(scenario, operations),
    ...lintEffects(scenario, operations),
    ...lintFields(scenario, operations),
    ...lintIdle(scenario),
    ...lintFaults(scenario, operations),
    ...lintDrive(scenario),
    ...lintExpectations(scenario, operations),
    ...lintSelections(scenario, operations),
  ]
}

/** The findings of a loaded scenario, with their positions in its files. */
export function lintLoaded(
  { scenario, at }: LoadedScenario,
  operations?: OperationTable,
): (LintFinding & { at: Position })[] {
  return lintScenario(scenario, operations).map((finding) => ({ ...finding, at: at(finding.place) }))
}

/** The mistakes of a loaded scenario, a line for each, without advice. */
export function lintMistakes(loaded: LoadedScenario, operations?: OperationTable): string[] {
  return lintLoaded(loaded, operations)
    .filter(({ severity }) => severity === 'mistake')
    .map(({ at, message }) => `${placeText(at)}: mistake: ${message}`)
}

type Rule = NonNullable<Scenario['rules']>[number]

/** Finds faults that can't break any response of the operations that their rule matches. */
function lintFaults({ rules = [] }: Scenario, operations: OperationTable): LintFinding[] {
  return rules.flatMap((rule, index) => {
    const matched = operations.selectedBy(rule.match)
    return faultsOf(rule, index).flatMap(({ type, place, name }): LintFinding[] => {
      const { hits } = findFault(type)
      const hit = operations.where(({ role }) => hits === 'any' || hits.includes(role))
      if (matched.some((operation) => hit.includes(operation))) return []
      const message = `${name}: the fault ${type} has no effect on ${matched.join(', ')}. Match ${hit.join(', ')}.`
      return [{ severity: 'mistake', place, message }]
    })
  })
}

function faultsOf(rule: Rule, index: number): { type: FaultType; place: PropertyKey[]; name: string }[] {
  const name = ruleName(rule, index)
  const own = [{ fault: rule.fault, place: ['rules', index, 'fault'] }]
  const attempts = (rule.attempts ?? []).map((attempt, nth) => ({
    fault: effectOf(attempt).fault,
    place: ['rules', index, 'attempts', nth],
  }))
  return [...own, ...attempts].flatMap(({ fault, place }) => {
    return fault === undefined ? [] : [{ type: faultOf(fault).type, place, name }]
  })
}

type Expect = NonNullable<Scenario['expect']>
type Selection = NonNullable<Expect['tasks']>[number] | NonNullable<Expect['requests']>[number]

/** Finds expectations of tasks and requests that can't exist, and keys without effect. */
function lintSelections({ expect = {} }: Scenario, operations: OperationTable): LintFinding[] {
  return (['tasks', 'requests'] as const).flatMap((list) =>
    (expect[list] ?? []).flatMap((selection, index) =>
      [...idleIn(selection, list), ...neverIn(selection, list, operations)].map(([key, message]) => ({
        severity: 'mistake' as const,
        place: ['expect', list, index, key],
        message,
      })),
    ),
  )
}

type KeyProblem = readonly [key: string, message: string]

/** `nth` selects one and `each` selects all, so a count is redundant or contradicts them. */
function idleIn({ nth, each, count }: Selection, list: 'tasks' | 'requests'): KeyProblem[] {
  const found: KeyProblem[] = []
  const idle = (key: string, why: string): void =>
    void found.push([key, `${key} has no effect: ${why}. Leave one out.`])
  if (each && count !== undefined) idle('count', 'each applies to all of them')
  else if (nth !== undefined && list === 'requests' && count !== undefined)
    idle('count', 'nth selects only one')
  if (each && nth !== undefined) idle('each', 'nth selects only one')
  const least = typeof count === 'number' ? count : (count?.min ?? 0)
  if (list === 'tasks' && !each && nth !== undefined && least > 1)
    found.push(['count', `there is only one task ${nth}, so that ${least} of it can't be. Leave one out.`])
  return found
}

function neverIn(
  { op, kind }: Selection,
  list: 'tasks' | 'requests',
  operations: OperationTable,
): KeyProblem[] {
  if (op === undefined) return []
  const { submissions } = operations
  const named = operations.matching(op)
  const makers = named.filter((operation) => submissions.includes(operation))
  if (list === 'tasks' && makers.length === 0)
    return [['op', `no task is made by ${named.join(', ')}. Use ${submissions.join(', ')}.`]]
  if (kind === undefined || operations.kindsOf({ op }).has(kind)) return []
  return [['kind', `${named.join(', ')} concerns no ${kind} task. Leave kind out.`]]
}
