import { placeText, type Position } from '../error.ts'
import type { LintFinding, LoadedScenario } from '../types.ts'
import { lintExpectations } from './lint-expectations.ts'
import { lintIdle } from './lint-idle.ts'
import { lintRules, ruleName } from './lint-rules.ts'
import { lintEffects } from './lint-effects.ts'
import { lintFields } from './lint-fields.ts'
import { lintSelection } from './lint-selection.ts'
import { effectOf, faultOf } from '../../rules/rule-state.ts'
import type { Scenario } from '../../vocabulary/types.ts'
import { clockMapping } from '../../../engine/clock/clock-settings.ts'
import type { OperationTable } from '../../../engine/operations/operation-table.ts'
import { flowsWith, operationsWith } from '../../../apis/index.ts'
import type { FlowKey } from '../../../apis/define/flow.ts'
import { type FaultType, findFault } from '../../faults/index.ts'
import { didYouMean } from '../../../engine/did-you-mean.ts'
import type { DurationSpec } from '../../../engine/random/distribution.ts'
import { formatDuration, parseDuration } from '../../../engine/clock/duration.ts'
import { type Lifecycle, pathBetween } from '../../../engine/tasks/lifecycle.ts'

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

/** The parts of the environment that findings depend on. */
export interface LintOptions {
  /** `embedded`: without a socket, where some faults are only approximated. Default `socket`. */
  readonly transport?: 'socket' | 'embedded'
  /** Those that the scenario may name. Default: those of the shipped APIs and of `apis`. */
  readonly operations?: OperationTable
}

/**
 * Finds probable mistakes in a valid scenario.
 * @returns the findings in the order of the file's parts; empty if there are none.
 */
export function lintScenario(
  scenario: Scenario,
  { transport = 'socket', operations = operationsWith(scenario.config?.apis) }: LintOptions = {},
): LintFinding[] {
  return [
    ...lintClock(scenario),
    ...lintRules(scenario, operations),
    ...lintSelection(scenario, operations),
    ...lintEffects(scenario, operations),
    ...lintFields(scenario, operations),
    ...lintIdle(scenario),
    ...lintTimelines(scenario, operations),
    ...lintFaults(scenario, transport, operations),
    ...lintDrive(scenario),
    ...lintExpectations(scenario, operations),
    ...lintSelections(scenario, operations),
  ]
}

/** The findings of a loaded scenario, with their positions in its files. */
export function lintLoaded(
  { scenario, at }: LoadedScenario,
  options: LintOptions = {},
): (LintFinding & { at: Position })[] {
  return lintScenario(scenario, options).map((finding) => ({ ...finding, at: at(finding.place) }))
}

/** The mistakes of a loaded scenario, a line for each, without advice. */
export function lintMistakes(loaded: LoadedScenario, operations?: OperationTable): string[] {
  return lintLoaded(loaded, operations && { operations })
    .filter(({ severity }) => severity === 'mistake')
    .map(({ at, message }) => `${placeText(at)}: mistake: ${message}`)
}

type Rule = NonNullable<Scenario['rules']>[number]

/** Finds faults without effect, faults that this transport only approximates, and unneeded requirements. */
function lintFaults(
  { rules = [], requires = [] }: Scenario,
  transport: 'socket' | 'embedded',
  operations: OperationTable,
): LintFinding[] {
  return [...lintOperations(rules, operations), ...lintSockets(rules, requires, transport)]
}

/** Finds faults that can't break any response of the operations that their rule matches. */
function lintOperations(rules: readonly Rule[], operations: OperationTable): LintFinding[] {
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

function lintSockets(
  rules: readonly Rule[],
  requires: readonly string[],
  transport: 'socket' | 'embedded',
): LintFinding[] {
  const found = rules.flatMap((rule, index) =>
    faultsOf(rule, index).filter(({ type }) => findFault(type).ends !== undefined),
  )
  const isRequired = requires.includes('wire')
  if (transport === 'socket') {
    if (!isRequired || found.length > 0) return []
    const message =
      'requires wire, but no fault here needs a socket. Leave it out, and the scenario runs embedded too.'
    return [{ severity: 'advice', place: ['requires'], message }]
  }
  return found.map(({ type, place, name }): LintFinding => {
    const message = isRequired
      ? `${name}: the fault ${type} is only approximated without a socket, and the scenario requires wire. Run it by greenroom run or startServer.`
      : `${name}: the fault ${type} is only approximated without a socket. Add requires: [wire] if it must be exact.`
    return { severity: isRequired ? 'mistake' : 'advice', place, message }
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

/** Finds timelines that leave the documented order of states, or whose progress falls. */
function lintTimelines({ rules = [], config = {} }: Scenario, operations: OperationTable): LintFinding[] {
  return rules.flatMap((rule, index): LintFinding[] => {
    const { timeline, unsafe = false } = rule.task ?? {}
    if (!timeline || unsafe) return []
    const kinds = new Set(operations.selectedBy(rule.match).flatMap((op) => operations.find(op)?.tasks ?? []))
    return [...kinds].flatMap((kind) => {
      // A config that replaces the lifecycle also defines the order of states.
      if ((config as Record<string, { lifecycle?: unknown } | undefined>)[kind]?.lifecycle) return []
      return orderOf(timeline, operations.lifecycleOf(kind)!).map(({ step, message }): LintFinding => ({
        severity: 'mistake',
        place: ['rules', index, 'task', 'timeline', step],
        message: `${ruleName(rule, index)}: ${message}`,
      }))
    })
  })
}

type Timeline = NonNullable<NonNullable<NonNullable<Scenario['rules']>[number]['task']>['timeline']>

function orderOf(timeline: Timeline, lifecycle: Lifecycle): { step: number; message: string }[] {
  const known = Object.keys(lifecycle.states)
  const found: { step: number; message: string }[] = []
  let state: string | undefined
  let progress = 0
  let sinceMs = 0
  for (const [step, line] of timeline.entries()) {
    if ('waitFor' in line) {
      // The times of later lines count from the client's response.
      sinceMs = 0
      continue
    }
    const atMs = fixedMs(line.after) ?? sinceMs
    if (atMs < sinceMs) {
      const message = `after ${formatDuration(atMs)} lies before the line in front of it. Put lines in order of their times.`
      found.push({ step, message })
    }
    sinceMs = atMs
    const { status } = line
    const share = line.progress === undefined ? progress : Number.parseFloat(String(line.progress))
    if (share < progress) {
      const message = `progress falls from ${progress} % to ${share} %. Let it climb, or set unsafe: true.`
      found.push({ step, message })
    }
    progress = share
    if (status === undefined || status === state) continue
    if (!known.includes(status)) {
      const hint = didYouMean(status, known)
      found.push({
        step,
        message: `a ${lifecycle.name} task is never ${status}.${hint} Use ${known.join(', ')}.`,
      })
      continue
    }
    const from = state ?? lifecycle.initial
    // A task may begin in any state that isn't final, even if no documented transition leads to it.
    const isBeginning = state === undefined && !lifecycle.states[status]!.final
    if (!isBeginning && from !== status && pathBetween(lifecycle, from, status) === null) {
      const message =
        `${status} can't follow ${from} in the documented order. ` +
        'Change the order, or set unsafe: true if a client must survive it.'
      found.push({ step, message })
    }
    state = status
  }
  return found
}

/** A duration in milliseconds, unless it is random or endless. */
function fixedMs(after: DurationSpec): number | undefined {
  return typeof after === 'object' || after === 'forever' ? undefined : parseDuration(after)
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
  { op, channel }: Selection,
  list: 'tasks' | 'requests',
  operations: OperationTable,
): KeyProblem[] {
  if (op === undefined) return []
  const { submissions } = operations
  const named = operations.matching(op)
  const makers = named.filter((operation) => submissions.includes(operation))
  if (list === 'tasks' && makers.length === 0)
    return [['op', `no task is made by ${named.join(', ')}. Use ${submissions.join(', ')}.`]]
  if (channel === undefined || operations.kindsOf({ op }).has(channel)) return []
  return [['channel', `${named.join(', ')} concerns no ${channel} task. Leave channel out.`]]
}
