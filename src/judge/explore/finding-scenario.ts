import { habitNamed } from '../habits/habits.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { Expect, Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from '../runs/client-run.ts'
import type { Finding } from './findings.ts'
import { toClock, toConfig, toRules, withCrashes, type Base, type Schedule } from '../runs/schedules.ts'

/** The parts of an exploration that a scenario uses. */
interface Explored {
  readonly baseline: ClientRun
  readonly base: Base
}

/**
 * Converts a finding to a scenario. A client with the mistake fails it, a corrected client passes.
 * @returns undefined for a mistake that a scenario can't detect.
 */
export function toFindingScenario(finding: Finding, exploration: Explored): Scenario | undefined {
  const { schedule, sentence, advice } = finding
  const expect = expectationOf(finding, exploration)
  if (!expect) return undefined
  const { baseline, base } = exploration
  const { scenario } = base
  const hasComparableTexts = base.hasComparableTexts && baseline.exchanges.some(writesText)
  const config = toConfig(schedule, { ...base, hasComparableTexts })
  const clock = toClock(exploration.base)
  const rules: Rule[] = [...toRules(atEveryAttempt(schedule, baseline)), ...(scenario.rules ?? [])]
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
 * A client may request a text again that ended early, which a scenario can't tell from one that takes it for whole. So a text that
 * the client requests once ends early at each attempt: then only a report is right.
 */
function atEveryAttempt(schedule: Schedule, { exchanges }: ClientRun): Schedule {
  const isRequestedOnce = (wanted: string): boolean =>
    exchanges.filter(({ operation }) => operation === wanted).length === 1
  const parts = schedule.parts.map(({ injection, place }) => {
    const isMeant = injection.endsEarly && injection.expected === 'report' && isRequestedOnce(place.operation)
    return { injection: isMeant ? { ...injection, requests: 'all' as const } : injection, place }
  })
  return { ...schedule, parts }
}

/** The expected behaviour of a corrected client in the run of a finding. */
function expectationOf({ habit, schedule }: Finding, { baseline, base }: Explored): Expect | undefined {
  const [part] = schedule.parts
  const expected = schedule.parts.map(({ injection }) => injection.expected)
  return habitNamed(habit).expects({
    schedule,
    part,
    op: part?.place.operation ?? schedule.variant?.operation,
    baseline,
    base,
    mustFail: expected.includes('report'),
    mayFail: expected.includes('either'),
    allow: { notExercised: true, ...base.scenario.expect?.allow },
  })
}
