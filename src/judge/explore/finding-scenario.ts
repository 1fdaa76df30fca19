import { invariantNames } from '../invariants/invariants.ts'
import type { Expect, Rule, Scenario, TaskExpectation } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from './client-run.ts'
import type { Finding } from './findings.ts'
import { sameText, sameTextRule, toClock, toConfig, toRules, withCrashes, type Base } from './schedules.ts'

/** The parts of an exploration that a scenario uses. */
interface Explored {
  readonly baseline: ClientRun
  readonly base: Base
}

/**
 * Converts a finding to a scenario. A client with the mistake fails it, a corrected client passes.
 * @returns undefined for a mistake that also occurs without an injection, and for one that a scenario can't detect.
 */
export function toFindingScenario(finding: Finding, exploration: Explored): Scenario | undefined {
  const { schedule, sentence, advice } = finding
  const { parts, variant } = schedule
  const expect = parts.length > 0 || variant ? expectationOf(finding, exploration) : undefined
  if (!expect) return undefined
  const { scenario, hasSameText } = exploration.base
  const config = toConfig(schedule, exploration.base)
  const clock = toClock(exploration.base)
  const isText = parts.some(({ place }) => place.kind === 'text' || place.kind === 'stream')
  const rules: Rule[] = [
    ...toRules(schedule),
    ...(scenario.rules ?? []),
    ...((isText || variant) && hasSameText && exploration.baseline.result.includes(sameText)
      ? [sameTextRule]
      : []),
  ]
  return {
    ...scenario,
    version: 1,
    name: schedule.name,
    description: `${sentence} ${advice}`,
    ...(clock && { clock }),
    ...(config && { config }),
    ...(rules.length > 0 && { rules }),
    ...withCrashes(schedule, scenario),
    expect,
  } as Scenario
}

/**
 * The expected behaviour of a corrected client in the run of a finding; undefined if it can't be distinguished from the
 * mistake.
 */
function expectationOf(finding: Finding, { baseline, base }: Explored): Expect | undefined {
  const { habit, severity, schedule } = finding
  const [part] = schedule.parts
  const op = part?.place.operation ?? schedule.variant?.operation
  const mustFail = schedule.parts.some(({ injection }) => injection.expected === 'report')
  const mayFail = schedule.parts.some(({ injection }) => injection.expected === 'either')
  const end: Expect = mustFail ? { command: 'fails' } : mayFail ? { command: 'any' } : {}
  const allow = { notExercised: true, ...base.scenario.expect?.allow }
  const { tasks } = baseline.verdict
  const invariant = invariantNames.find((name) => name === habit)
  if (invariant !== undefined) return { always: [invariant], ...end, allow }
  if (severity === 'paid twice')
    return tasks.length > 0
      ? { tasks: countTasks(tasks), command: 'any', allow }
      : { requests: [{ op: op!, count: { max: 1 } }], command: 'any', allow }
  if (habit === 'repeats-final-refusals') {
    const status = part!.injection.effect(part!.place).respond!.status!
    return { requests: [{ op: op!, status, count: { max: 2 } }], command: 'fails', allow }
  }
  if (habit === 'downloads-of-failed-task')
    return { requests: [{ role: 'download', status: '4xx', count: 0 }], ...end, allow }
  if (severity === 'hung') return { command: mustFail ? 'fails' : 'any', allow }
  if (mustFail) return severity === 'wrong result' ? { command: 'fails', allow } : undefined
  if (habit === 'crashes' && mayFail) return undefined
  const printed = isPrinted(baseline.result)
    ? { command: { stdout: { contains: baseline.result } }, allow }
    : undefined
  // Its tasks don't show a wrong text.
  if (habit === 'other-result') return printed
  if (tasks.length > 0) {
    const { artifacts } = base.expect
    return {
      tasks: countTasks(tasks).map((each) => ({
        ...each,
        status: baseline.operations.lifecycleOf(each.channel)!.roles.success,
      })),
      ...(artifacts && { artifacts }),
      allow,
    }
  }
  if (severity !== 'wrong result') return { command: 'passes', allow }
  return printed
}

/** Whether a result is the unmasked output of a command. */
const isPrinted = (result: string): boolean =>
  result !== '' && result.length <= 1_000 && !/\btask\b|\btime\b|…s|\$\{url\}|^[[{]/.test(result)

function countTasks(tasks: readonly { readonly channel: string }[]): TaskExpectation[] {
  return [...new Set(tasks.map(({ channel }) => channel))].map(
    (channel) =>
      ({ channel, count: tasks.filter((each) => each.channel === channel).length }) as TaskExpectation,
  )
}
