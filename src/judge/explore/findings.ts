import { groupBy } from '../../engine/group-by.ts'
import { adviseAt } from '../habits/how-to.ts'
import { habitNamed } from '../habits/habits.ts'
import type { ObservedMistake, RepeatedMistake } from './mistakes.ts'
import { groupByCause, type CausalGroup } from './causes.ts'
import { severities, type Severity } from '../runs/run-context.ts'
import type { Schedule } from '../runs/schedules.ts'

/**
 * One mistake of the client, however many runs show it.
 *
 * @example
 * const client = ({ fetch, sleep }: ExploredGateway) => new MyClient({ fetch, sleep }).makeVideo('a red kite')
 * const { findings } = await explore(client, { only: ['slow 40s'] })
 * const [worst]: readonly Finding[] = findings
 * worst // → undefined
 */
export interface Finding {
  /** A key that is independent of runs, timings of clients and seeds. Files of accepted findings contain it. */
  readonly key: string
  readonly severity: Severity
  readonly habit: string
  readonly operations: readonly string[]
  readonly families: readonly string[]
  /** The mistake, as a sentence. */
  readonly sentence: string
  /** What a good client does. */
  readonly advice: string
  /** The details of the simplest run. */
  readonly detail: string
  /**
   * The line of the program that sent the request in question, such as `client.py:42`. Only a Node or Python program with virtual timers
   * says it.
   */
  readonly place?: string
  /** The simplest schedule with the mistake. */
  readonly schedule: Schedule
  /** The requests of that run, on the time axis. */
  readonly trace: string
  /** The names of all schedules with the mistake. */
  readonly schedules: readonly string[]
  /** The schedules whose repetition did not show it again. */
  readonly unrepeated: readonly string[]
  /** Whether none of them showed it again. */
  readonly isFlaky: boolean
  /** Mistakes that only ever follow this one in the same run, worst first. A client that mends this one may have mended them. */
  readonly consequences: readonly Consequence[]
}

/**
 * A mistake that follows from another one.
 *
 * @example
 * const describe = ({ sentence }: Consequence): string => sentence
 */
export interface Consequence extends Pick<Finding, 'severity' | 'habit' | 'sentence' | 'schedules'> {}

/**
 * Groups mistakes to findings by their causes, worst first. A finding contains mistakes of one habit, and of one operation if that
 * matters, and those that only follow from them. Mistakes that did not occur again don't influence a finding that did.
 */
export function toFindings(mistakes: readonly RepeatedMistake[]): Finding[] {
  const confirmed = groupMistakes(mistakes.filter(({ isFlaky }) => !isFlaky)).map(toCausalFinding)
  const flaky = groupMistakes(mistakes.filter(({ isFlaky }) => isFlaky)).map(toCausalFinding)
  const findings = confirmed.map((finding): Finding => {
    const unrepeated = flaky
      .filter(({ key }) => isAccepted(key, [finding.key]))
      .flatMap(({ schedules }) => schedules)
    return { ...finding, schedules: [...new Set([...finding.schedules, ...unrepeated])], unrepeated }
  })
  const keys = confirmed.map(({ key }) => key)
  const others = flaky
    .filter(({ key }) => !isAccepted(key, keys))
    .map((finding): Finding => ({ ...finding, unrepeated: finding.schedules, isFlaky: true }))
  return [...findings, ...others].toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.schedules.length - one.schedules.length,
  )
}

function groupMistakes(mistakes: readonly ObservedMistake[]): CausalGroup<ObservedMistake>[] {
  return groupByCause(mistakes).flatMap(({ leading, following }) => {
    const parts = splitFamilies(leading)
    return parts.map((part) => {
      const schedules = new Set(part.map(({ schedule }) => schedule))
      return { leading: part, following: following.filter(({ schedule }) => schedules.has(schedule)) }
    })
  })
}

function splitFamilies(group: readonly ObservedMistake[]): ObservedMistake[][] {
  const families = [...new Set(group.map(({ family }) => family))]
  if (!habitNamed(group[0]!.habit).isPerFamily?.(families)) return [[...group]]
  return families.map((family) => group.filter((mistake) => mistake.family === family))
}

function toCausalFinding({ leading, following }: CausalGroup<ObservedMistake>): Finding {
  const finding = toFinding(leading)
  const consequences = [...groupBy(following, ({ habit }) => habit).values()]
    .map((group): Consequence => {
      const { severity, habit, sentence, schedules } = toFinding(group)
      return { severity, habit, sentence, schedules }
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other))
  // A finding costs as much as what follows from it.
  const [severity] = [finding, ...consequences]
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map((each) => each.severity)
  return { ...finding, severity: severity!, consequences }
}

const rankOf = ({ severity }: Pick<Finding, 'severity'>): number => severities.indexOf(severity)

/** Makes one finding from mistakes that belong together. */
export function toFinding(group: readonly ObservedMistake[]): Finding {
  const minimal = group.reduce((best, mistake) => (compare(mistake, best) < 0 ? mistake : best))
  const { severity, habit } = group.reduce((worst, mistake) =>
    severities.indexOf(mistake.severity) < severities.indexOf(worst.severity) ? mistake : worst,
  )
  const operations = [...new Set(group.map(({ operation }) => operation))]
  const families = [...new Set(group.map(({ family }) => family))]
  const { says, advice, howTo, isPerOperation, isPerFamily } = habitNamed(habit)
  const single = isPerFamily?.(families) ? [families[0]!] : []
  return {
    key: [severity, habit, ...(isPerOperation ? operations : []), ...single].join(' | '),
    severity,
    habit,
    operations,
    families,
    sentence: says({ operations, families }),
    advice: adviseAt(
      minimal.place,
      typeof advice === 'string' ? advice : advice(minimal.schedule, group),
      howTo,
    ),
    detail: minimal.detail,
    ...(minimal.place !== undefined && { place: minimal.place }),
    trace: minimal.trace,
    schedule: minimal.schedule,
    schedules: [...new Set(group.map(({ schedule }) => schedule.name))],
    unrepeated: [],
    isFlaky: false,
    consequences: [],
  }
}

/** Sorts by: fewest rules, temporary faults, mildest, earliest place. */
function compare({ schedule: one }: ObservedMistake, { schedule: other }: ObservedMistake): number {
  const [costs, others] = [costsOf(one), costsOf(other)]
  const index = costs.findIndex((cost, at) => cost !== others[at])
  return index < 0 ? 0 : costs[index]! - others[index]!
}

function costsOf({ parts }: Schedule): number[] {
  const lasting = parts.map(({ injection }) =>
    injection.requests === 'all' ? 2 : injection.requests ? 1 : 0,
  )
  const ranks = parts.reduce((sum, { injection }) => sum + injection.rank, 0)
  const nths = parts.reduce((sum, { place }) => sum + place.nth, 0)
  return [parts.length, Math.max(0, ...lasting), ranks, nths]
}

/** Whether the key of an accepted finding covers another key. A client that never retries gives up at each family. */
export function isAccepted(key: string, accepted: readonly string[]): boolean {
  return accepted.some((known) => known === key || key.startsWith(`${known} | `))
}
