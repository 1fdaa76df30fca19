import { rulePrefix, type Variant } from '../../apis/define/exploration.ts'
import { knownApis } from '../../apis/define/own-apis.ts'
import { defaultLimitMs } from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { nearest } from '../../engine/did-you-mean.ts'
import { fitsGlob } from '../../engine/glob.ts'
import { operationsWith, shippedVariants } from '../../apis/index.ts'
import type { Expect, Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun } from './client-run.ts'
import type { Crash } from '../../gateway/crash-plan.ts'
import { endsByTimeout, isSlow, type Injection } from './injection.ts'
import { crashInjections, injections } from './injections.ts'
import { findPlaces, type InjectionPlace } from './places.ts'

/** One injection at one place. */
export interface ScheduledInjection {
  readonly injection: Injection
  readonly place: InjectionPlace
}

/** The content of one run: a variant of the gateway, one injection, or several. */
export interface Schedule {
  readonly name: string
  readonly parts: readonly ScheduledInjection[]
  readonly variant?: Variant
}

export const baseline: Schedule = { name: 'baseline', parts: [] }

export const isBaseline = ({ parts, variant }: Schedule): boolean => parts.length === 0 && !variant

export function nameSchedule(parts: readonly ScheduledInjection[]): string {
  return parts.map(({ injection, place }) => `${injection.id} @ ${place.name}`).join(' + ')
}

/** Whether to try an injection, or a variant of the gateway. */
export type Selection = (part: {
  readonly injection: Pick<Injection, 'id' | 'family' | 'isOnlyNamed'>
  readonly place: Pick<InjectionPlace, 'operation'>
}) => boolean

/** The family of all variants, for selections. */
export const variantFamily = 'gateway'

/** Selects by operation (`video.*`), by family (`rate limit`) or by the name of a fault (`503`). */
export function createSelection(only: readonly string[], skip: readonly string[]): Selection {
  return (part) => {
    const { id, family, isOnlyNamed } = part.injection
    if (isOnlyNamed && !only.includes(id) && !only.includes(family)) return false
    return (
      (only.length === 0 || only.some((selector) => fits(part, selector))) &&
      !skip.some((selector) => fits(part, selector))
    )
  }
}

const fits = ({ injection, place }: Parameters<Selection>[0], selector: string): boolean =>
  fitsGlob(selector, place.operation) || selector === injection.family || selector === injection.id

/**
 * Why a selector selects nothing, as the end of a sentence; undefined if each selects something.
 * @param scenarios those to explore from, whose APIs count.
 */
export function selectorProblem(
  selectors: readonly string[],
  scenarios: readonly Pick<Scenario, 'config'>[] = [],
): string | undefined {
  const operations = operationsWith([...new Set(scenarios.flatMap(({ config }) => config?.apis ?? []))])
  const gateways = [...shippedVariants, ...scenarios.flatMap(variantsFor)]
  const all = [...injections, ...crashInjections]
  const families = [...new Set(all.map(({ family }) => family)), variantFamily]
  const unknown = selectors.find(
    (selector) =>
      operations.matching(selector).length === 0 &&
      !families.includes(selector) &&
      ![...all, ...gateways].some(({ id }) => selector === id),
  )
  if (unknown === undefined) return undefined
  const ids = [...all, ...gateways].map(({ id }) => id)
  const begun = ids.find((id) => id.startsWith(`${unknown} `))
  const meant = begun ?? nearest(unknown, [...ids, ...families])
  const several = unknown.includes(',') ? unknown.split(',').map((each) => `"${each.trim()}"`) : []
  const advice = several.length > 0 ? `give ${several.join(' and ')} each by itself` : ''
  const hint = advice || (meant === undefined ? '' : `did you mean "${meant}"?`)
  return (
    `is "${unknown}", which selects nothing${hint && ` (${hint})`}: write an operation such as ${operations.examples['family']}, ` +
    `a fault such as 503, or a family: ${families.join(', ')}.`
  )
}

/**
 * All schedules with one of the known injections, in the order in which to spend a budget: variants; the mildest injection of each
 * family at each place; the rest. No random choice is needed, so the order is the same in every run.
 */
export function listSingles(
  run: Pick<ClientRun, 'exchanges' | 'operations'>,
  isSelected: Selection,
  known: readonly Injection[],
  variants: readonly Variant[],
): Schedule[] {
  const places = findPlaces(run)
  const singles = known.flatMap((injection) =>
    places
      .filter((place) => injection.at.includes(place.kind) && injection.fits?.(place) !== false)
      .map((place) => ({ injection: atPlace(injection, place), place }))
      .filter(isSelected)
      .map((part): Schedule => ({ name: nameSchedule([part]), parts: [part] })),
  )
  const mildest = mildestOfEachFamily(singles)
  const gateways = variants
    .filter(({ id, operation, at }) => {
      const isPlayed = run.exchanges.some(
        (entry) =>
          entry.operation === operation &&
          (at === undefined || entry.stream !== null) &&
          (at !== 'calls' || entry.toolCalls !== undefined),
      )
      return isPlayed && isSelected({ injection: { id, family: variantFamily }, place: { operation } })
    })
    .map((variant): Schedule => ({ name: variant.id, parts: [], variant }))
  return [...gateways, ...mildest, ...singles.filter((single) => !mildest.includes(single))]
}

/** The variants for a scenario. */
export function variantsFor({ config }: Pick<Scenario, 'config'>): Variant[] {
  const own = knownApis(config?.apis).flatMap(({ exploration }) => exploration?.variants ?? [])
  return [
    ...shippedVariants,
    ...own.filter(({ needs }) => needs === undefined || config?.[needs] !== undefined),
  ]
}

/** Starts with silence, so that other runs continue while a client waits for its own deadline. */
export function startSilenceFirst(schedules: readonly Schedule[]): Schedule[] {
  const isSilent = ({ parts }: Schedule): boolean => parts.some(({ injection }) => endsByTimeout(injection))
  return [...schedules.filter(isSilent), ...schedules.filter((schedule) => !isSilent(schedule))]
}

/**
 * Places an injection. A response that is lost, unreadable, or later than the client's deadline may stand for a paid task, and so
 * may an internal error: every client may report it.
 */
function atPlace(injection: Injection, place: InjectionPlace): Injection {
  const isPaid = place.kind === 'submit' || place.kind === 'text' || place.kind === 'stream'
  // A client that crashed while it submitted does not know whether the gateway accepted that.
  if (isPaid && injection.crash) return { ...injection, expected: 'either' }
  // A task that takes long is no late response.
  const isLate = isSlow(injection) && injection.effect(place).task === undefined
  const isUnclear =
    isLate || injection.mayHaveBegun || (injection.isAcceptanceUnknown === true && repeats(injection))
  return isPaid && isUnclear && injection.expected === 'survive'
    ? { ...injection, expected: 'either' }
    : injection
}

const repeats = ({ reaction }: Injection): boolean =>
  reaction === 'retry-with-backoff' || reaction === 'verify-and-repeat'

/**
 * Pairs of injections that the client survived one by one, at different requests, spread evenly over all of them. Silence
 * has no pairs, because each could take as long as the client's deadline, in real time.
 */
export function listPairs(survived: readonly ScheduledInjection[]): Schedule[] {
  const parts = mildestOfEachFamily(
    survived
      .filter(({ injection }) => injection.expected !== 'report' && !endsByTimeout(injection))
      .map((part) => ({ name: '', parts: [part] })),
  ).flatMap((schedule) => schedule.parts)
  const pairs = parts.flatMap((one, index) =>
    parts
      .slice(index + 1)
      .filter(({ place }) => place.operation !== one.place.operation || place.nth !== one.place.nth)
      .map((other): Schedule => ({ name: nameSchedule([one, other]), parts: [one, other] })),
  )
  return spread(pairs)
}

/** Orders values so that every prefix covers the whole list: the bits of the index in reverse. */
function spread<T>(values: readonly T[]): T[] {
  const bits = Math.ceil(Math.log2(Math.max(2, values.length)))
  const reverse = (index: number): number =>
    Number.parseInt(index.toString(2).padStart(bits, '0').split('').toReversed().join(''), 2)
  return Array.from({ length: 2 ** bits }, (_, index) => values[reverse(index)]).filter(
    (value) => value !== undefined,
  )
}

function mildestOfEachFamily(singles: readonly Schedule[]): Schedule[] {
  const mildest = new Map<string, Schedule>()
  for (const single of singles) {
    const { injection, place } = single.parts[0]!
    const key = `${injection.family} @ ${place.name}`
    const known = mildest.get(key)
    if (!known || known.parts[0]!.injection.rank > injection.rank) mildest.set(key, single)
  }
  return [...mildest.values()]
}

/** How texts are written, so that results can be compared: the same for each equal conversation, with multi-byte letters. */
export const comparableTexts = { mode: 'multibyte' } as const

/** A word of such a text, as a client shows it that reads the bytes as Latin-1. */
export const misreadText = 'schÃ¶n'

/** The common base of all runs. */
export interface Base {
  /** The scenario of the user. Injected rules come before its rules. */
  readonly scenario: Scenario
  /** Whether texts are the {@link comparableTexts}, unless the scenario says how they are written. */
  readonly hasComparableTexts: boolean
  readonly expect: Expect
  /** Virtual time after which a run counts as endless. */
  readonly maxVirtualMs: number
  /** Whether the client reads its time from the clock of the run. */
  readonly isVirtualTime?: boolean
}

export function scenarioOfSchedule(schedule: Schedule, base: Base): Scenario {
  const { scenario, expect } = base
  const rules = toRules(schedule)
  const clock = toRunClock(base)
  const config = toConfig(schedule, base)
  return {
    ...scenario,
    version: 1,
    name: schedule.name,
    clock,
    ...(config && { config }),
    rules: [...rules, ...(scenario.rules ?? [])],
    ...withCrashes(schedule, scenario),
    expect,
  } as Scenario
}

/** The config of a run, if it is not that of the scenario. */
export function toConfig(
  { parts, variant }: Schedule,
  { scenario, hasComparableTexts }: Base,
): Scenario['config'] {
  const injected = parts.flatMap(({ injection }) => injection.config ?? [])
  if (!hasComparableTexts && !variant?.quirks && !variant?.config && injected.length === 0) return undefined
  const { config = {} } = scenario
  const quirks = { ...config.quirks, ...variant?.quirks }
  return {
    ...config,
    ...(hasComparableTexts && { text: { ...comparableTexts, ...config.text } }),
    ...Object.assign({}, ...injected),
    ...variant?.config,
    ...(variant?.quirks && { quirks }),
  } as Scenario['config']
}

/** The clock of every run. Unless the scenario sets a limit, it is at least the time that a client may take. */
export function toClock({ scenario: { clock }, maxVirtualMs }: Base): Scenario['clock'] {
  if (maxVirtualMs <= defaultLimitMs) return clock
  const { mode = 'auto', ...rest } = typeof clock === 'string' ? { mode: clock } : (clock ?? {})
  return { mode, limit: `${Math.ceil(maxVirtualMs / 3_600_000)}h`, ...rest } as Scenario['clock']
}

/** The clock of a run that is played here: it starts at a fixed instant, or where the client's own clock is. */
export function toRunClock(base: Base): Scenario['clock'] {
  const clock = toClock(base)
  return base.isVirtualTime ? (clock ?? 'auto') : withHostTime(clock)
}

/** A head start, so that a run does not fall behind the host's clock, with which clients compare the gateway's dates. */
const headStartMs = 10_000

export function withHostTime(clock: Scenario['clock'] = {}): Scenario['clock'] {
  const { mode = 'auto', ...rest } = typeof clock === 'string' ? { mode: clock } : clock
  return { mode, start: new Date(hostTimers.now() + headStartMs).toISOString(), ...rest }
}

/** The ids of the rules of a schedule: `fault-503`, and `fault-503-2` for the second of a pair. */
export function toRuleIds(parts: readonly ScheduledInjection[]): string[] {
  return parts.map(({ injection: { id } }, index) => {
    const slug = id.replace(/[^a-z0-9]+/gi, '-').toLowerCase()
    return `${rulePrefix}${slug}${index === 0 ? '' : `-${index + 1}`}`
  })
}

/** The crashes of a schedule. */
function toCrashes({ parts }: Schedule): Crash[] {
  return parts.flatMap(({ injection, place: { operation: op, nth } }) => {
    if (!injection.crash) return []
    return [{ op, nth, ...(injection.crash === 'accepted' && { accepted: true }) }]
  })
}

/** The crashes of a run, after those of the scenario. */
export function withCrashes(schedule: Schedule, { crash = [] }: Scenario): Pick<Scenario, 'crash'> {
  const all = [...crash, ...toCrashes(schedule)]
  return all.length === 0 ? {} : ({ crash: all } as Pick<Scenario, 'crash'>)
}

/** The rules that carry out a schedule. */
export function toRules({ parts, variant }: Schedule): Rule[] {
  const ids = toRuleIds(parts)
  const injected = parts.flatMap((part, index): Rule[] => {
    if (part.injection.crash) return []
    const also = part.injection.also?.(part.place)
    return [toRule(part, ids[index]!), ...(also ? [{ id: `${ids[index]!}-later`, ...also }] : [])]
  })
  return [...injected, ...(variant?.rules ?? [])]
}

/** Converts an injection to a rule. A poll is selected by its state, so that the rule also suits other timings. */
function toRule({ injection, place }: ScheduledInjection, id: string): Rule {
  const { operation: op, nth, state, nthOfState } = place
  const { requests = 1 } = injection
  const effect = injection.effect(place)
  const isText = place.kind === 'text' || place.kind === 'stream'
  const rest = {
    ...effect,
    ...(effect.stream && { stream: { chunk: 'word' as const, ...effect.stream } }),
    // The scenario may have an answer to the request.
    ...(isText && { continue: true }),
  }
  if (requests === 'all')
    return {
      id,
      match: { op },
      ...(nth > 1 && { from: nth }),
      ...rest,
    }
  const isByState = state !== undefined && (!place.isFinal || place.kind === 'report')
  const first = isByState ? nthOfState! : nth
  return {
    id,
    match: { op, ...(isByState && { state }) } as Rule['match'],
    on: requests === 3 ? [first, first + 1, first + 2] : first,
    ...rest,
  }
}
