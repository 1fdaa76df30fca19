import { invariantNames } from '../../scenario/vocabulary/expect-schema.ts'
import type { Expect, Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import type { Finding } from './findings.ts'
import { sameTextRule, toRule, type Part } from './schedules.ts'
import type { Exploration } from './search.ts'

/**
 * A finding as a scenario: a client that makes the mistake fails it, a client that is mended passes.
 * @returns undefined for a mistake without an injection, which every run shows.
 */
export function toFindingScenario(finding: Finding, exploration: Exploration): Scenario | undefined {
  const { schedule } = finding
  const { parts, variant } = schedule
  if (parts.length === 0 && !variant) return undefined
  const { scenario, hasSameText } = exploration.base
  const { clock: _clock, expect: _expect, ...rest } = scenario
  const isText = parts.some(({ place }) => place.kind === 'text' || place.kind === 'stream')
  const rules: Rule[] = [
    ...parts.map((part) => toRule(part, toId(part))),
    ...(scenario.rules ?? []),
    ...(isText && hasSameText ? [sameTextRule] : []),
  ]
  return {
    ...rest,
    version: 1,
    name: schedule.name,
    description: `${finding.sentence} ${finding.advice}`,
    ...(variant && {
      config: { ...scenario.config, quirks: { ...scenario.config?.quirks, ...variant.quirks } },
    }),
    ...(rules.length > 0 && { rules }),
    expect: expectationOf(finding, exploration),
  } as Scenario
}

function toId({ injection }: Part): string {
  return injection.id
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
}

/** What a mended client shows in the run of a finding. */
function expectationOf({ habit, severity, schedule }: Finding, { baseline, base }: Exploration): Expect {
  const allow = { notExercised: true }
  const { tasks } = baseline.verdict
  const [part] = schedule.parts
  const isFailure = schedule.parts.some(({ injection }) => injection.expected === 'report')
  const counts = countByChannel(tasks.map(({ channel }) => channel))
  const operation = part?.place.operation
  const command = isFailure ? { command: 'fails' } : { command: 'any' }
  if (invariantNames.some((name) => name === habit))
    return { always: [habit], ...(isFailure && command), allow } as Expect
  if (severity === 'paid twice') {
    const paid =
      tasks.length > 0 ? { tasks: counts } : { requests: [{ op: operation, status: 200, count: 1 }] }
    return { ...paid, ...command, allow } as Expect
  }
  if (habit === 'repeats-final-refusals') {
    const status = part?.injection.effect(part.place).respond?.status
    return { requests: [{ op: operation, status, count: { max: 2 } }], ...command, allow } as Expect
  }
  if (habit === 'downloads-of-failed-task')
    return { requests: [{ op: operation, status: '4xx', count: 0 }], ...command, allow } as Expect
  // The end alone is wrong: the command must report the failure, or end at all.
  if (severity === 'hung' || isFailure) return { ...command, allow } as Expect
  const artifacts = base.expect.artifacts?.length ? { artifacts: base.expect.artifacts } : {}
  if (tasks.length === 0) return { command: 'passes', allow } as unknown as Expect
  return { tasks: counts.map((each) => ({ ...each, status: 'SUCCESS' })), ...artifacts, allow } as Expect
}

function countByChannel(channels: readonly string[]): { channel: string; count: number }[] {
  return [...new Set(channels)].map((channel) => ({
    channel,
    count: channels.filter((each) => each === channel).length,
  }))
}
