import { findInvariant } from '../invariants/invariants.ts'
import type { ClientRun } from './client-run.ts'
import { severities, type ClientMistake, type Severity } from './run-context.ts'
import type { Schedule } from './schedules.ts'

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
}

/** A mistake, with the run in which it occurred. */
export interface ObservedMistake extends ClientMistake {
  readonly schedule: Schedule
  readonly trace: string
}

/** A mistake whose run was repeated. */
export interface RepeatedMistake extends ObservedMistake {
  /** The second run; undefined after an interrupt. */
  readonly repetition: ClientRun | undefined
  /** Whether the mistake did not occur in the second run. */
  readonly isFlaky: boolean
}

type Subject = Pick<Finding, 'operations' | 'families'>

interface Habit {
  readonly describe: (subject: Subject) => string
  readonly advice: string | ((schedule: Schedule, group: readonly ObservedMistake[]) => string)
  /** Whether it is a separate mistake for each operation. Default: one for all. */
  readonly isPerOperation?: true
}

const about = ({ families }: Subject): string => families.join(', ')

/** Where a mistake occurs. A variant of the gateway has no operation, but its name says it. */
function where({ operations, families }: Subject): string {
  const known = operations.filter((each) => each !== 'any')
  return (known.length > 0 ? known : families).join(', ')
}

/** The mistakes of clients, except violated invariants. */
const habits: Readonly<Record<string, Habit>> = {
  'fails-by-itself': {
    describe: () => 'The client fails in the baseline run, in which nothing goes wrong.',
    advice: 'Let it succeed first; then explore again.',
  },
  'misreads-text': {
    describe: () => 'The client reads UTF-8 as Latin-1, also in the baseline run.',
    advice: 'Decode every text as UTF-8: events have no charset. In Python: response.encoding = "utf-8".',
  },
  'no-deadline': {
    describe: (of) => `The client waits forever for a response (${where(of)}).`,
    advice: (_, group) => `Give each request a deadline, such as a minute. ${adviseAfterDeadline(group)}`,
  },
  'polls-forever': {
    describe: () => 'The client polls a task forever.',
    advice: 'Give each task a deadline, such as ten minutes, and report that it was reached.',
  },
  'retries-forever': {
    describe: (of) => `The client repeats ${where(of)} forever.`,
    advice: 'Stop after a few attempts and report the last error.',
  },
  'ignores-failure': {
    describe: (of) =>
      `The client succeeds although the gateway reported a failure: ${about(of)} (${where(of)}).`,
    advice: 'Report the failure: throw, or exit with a code other than 0.',
  },
  'ignores-early-end': {
    describe: (of) => `The client takes a text that ended at a limit for a whole one (${where(of)}).`,
    advice: 'Read the finish reason, and report anything but a normal end.',
  },
  'keeps-damaged-bytes': {
    describe: (of) => `The client keeps a damaged download (${where(of)}).`,
    advice:
      'Check that the bytes are a video or image, and compare them with the length, and with the entity tag if that is a SHA-256. Download again what differs.',
    isPerOperation: true,
  },
  'skips-download': {
    describe: (of) => `The client succeeds, but never downloads what its task made (${where(of)}).`,
    advice: 'Download the result of every task that succeeded, or report why you could not.',
    isPerOperation: true,
  },
  'other-result': {
    describe: (of) => `The client returns a wrong result after ${about(of)} (${where(of)}).`,
    advice: 'Verify what arrived, and report or repeat what is incomplete.',
    isPerOperation: true,
  },
  resubmits: {
    describe: (of) => `The client pays twice after ${about(of)} (${where(of)}).`,
    advice: 'Once the gateway accepted a request, follow its task or read its text; never submit it again.',
  },
  'resubmits-after-time-out': {
    describe: () => 'The client submits again after a time-out, although the first task may exist.',
    advice: 'Report a submission that timed out. Only what the gateway refused is safe to submit again.',
  },
  'resubmits-after-crash': {
    describe: (of) => `The client submits again after a crash (${where(of)}).`,
    advice: 'Store the ID of a task at once, before anything else, and follow it after a restart.',
    isPerOperation: true,
  },
  'resubmits-unlisted': {
    describe: (of) =>
      `The client submits again after a crash, although the gateway lists its tasks (${where(of)}).`,
    advice:
      'Store that you are about to submit. After a restart, list the tasks, and submit only what is not there.',
    isPerOperation: true,
  },
  'does-not-recover': {
    describe: (of) => `The client does not go on after a crash (${where(of)}).`,
    advice: 'Store each step before the next one, so that the next process can go on from there.',
    isPerOperation: true,
  },
  'leaves-slow-answers': {
    describe: (of) => `The client aborts a slow response and sends the request again (${where(of)}).`,
    advice: 'Wait longer: the first request goes on and is paid for.',
  },
  crashes: {
    describe: (of) => `The client crashes after ${about(of)} (${where(of)}).`,
    advice: 'Check what arrived before reading it, and report in words what was wrong with it.',
    isPerOperation: true,
  },
  'unreadable-error': {
    describe: (of) => `The client reports an error that says nothing (${about(of)}).`,
    advice:
      'Fields may be missing, such as the reason of a failure, and a refusal has another form: have words for both.',
  },
  'hides-the-reason': {
    describe: () => 'The client reports that a task failed, but not why.',
    advice: 'Pass the reason of the gateway on to the caller, who can change the prompt.',
  },
  'not-retried': {
    describe: (of) =>
      of.families.length >= manyFamilies
        ? `The client never repeats ${where(of)}: ${about(of)}.`
        : `The client gives up at a temporary failure of ${where(of)}: ${about(of)}.`,
    advice:
      'Repeat the request a few times, with longer and longer waits, and at least as long as Retry-After says.',
    isPerOperation: true,
  },
  'fails-on-variant': {
    describe: (of) => `The client fails with a gateway that has ${about(of)}.`,
    advice: ({ variant }) => variant?.advice ?? '',
  },
  'downloads-of-failed-task': {
    describe: () => 'The client requests the content of a task that failed.',
    advice: 'Read the status of the task: after a failure there is nothing to download.',
  },
  'repeats-final-refusals': {
    describe: () => 'The client repeats what the gateway refused for good.',
    advice:
      'Report 400, 401, 403 and 404 at once: they stay the same. Only an expired link of a result is worth another poll.',
  },
}

/** A client that gives up at this number of families probably never retries. */
const manyFamilies = 3

/** What to do with a request whose deadline has passed. A submission may have been accepted, and then its task costs. */
function adviseAfterDeadline(group: readonly ObservedMistake[]): string {
  const hung = group.flatMap(({ operation, schedule }) =>
    schedule.parts.map(({ place }) => place).filter((place) => place.operation === operation),
  )
  const [submitted, others] = [true, false].map((isSubmission) => {
    const places = hung.filter(({ kind }) => (kind === 'submit') === isSubmission)
    return [...new Set(places.map(({ operation }) => operation))].join(', ')
  })
  if (hung.length === 0) return 'Then repeat the request; report a submission, which may have been accepted.'
  if (!submitted) return `Then repeat ${others} a few times.`
  const report = `report ${submitted}, which may have been accepted.`
  return others ? `Then repeat ${others} a few times; ${report}` : `Then ${report}`
}

/** The habit of a mistake. For a violated invariant, the advice is its own sentence. */
function habitOf(name: string): Habit {
  const means = findInvariant(name)?.means ?? ''
  return (
    habits[name] ?? {
      describe: ({ families }) => `The client breaks ${name} after ${families.join(', ')}.`,
      advice: means,
    }
  )
}

/**
 * Groups mistakes to findings, worst first. A finding contains mistakes of one habit, and of one operation if that matters.
 * Mistakes that did not occur again don't influence a finding that did.
 */
export function toFindings(mistakes: readonly RepeatedMistake[]): Finding[] {
  const confirmed = groupMistakes(mistakes.filter(({ isFlaky }) => !isFlaky)).map(toFinding)
  const flaky = groupMistakes(mistakes.filter(({ isFlaky }) => isFlaky)).map(toFinding)
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

function groupMistakes(mistakes: readonly ObservedMistake[]): ObservedMistake[][] {
  const groups = new Map<string, ObservedMistake[]>()
  for (const mistake of mistakes) {
    const { habit, operation } = mistake
    const key = habits[habit]?.isPerOperation ? `${habit} ${operation}` : habit
    groups.set(key, [...(groups.get(key) ?? []), mistake])
  }
  return [...groups.values()].flatMap(splitFamilies)
}

/** A client that gives up at few kinds of failures has a separate mistake for each. */
const isPerFamily = (habit: string, families: readonly string[]): boolean =>
  habit === 'fails-on-variant' || (habit === 'not-retried' && families.length < manyFamilies)

function splitFamilies(group: readonly ObservedMistake[]): ObservedMistake[][] {
  const families = [...new Set(group.map(({ family }) => family))]
  if (!isPerFamily(group[0]!.habit, families)) return [[...group]]
  return families.map((family) => group.filter((mistake) => mistake.family === family))
}

/** Makes one finding from mistakes that belong together. */
export function toFinding(group: readonly ObservedMistake[]): Finding {
  const minimal = group.reduce((best, mistake) => (compare(mistake, best) < 0 ? mistake : best))
  const { severity, habit } = group.reduce((worst, mistake) =>
    severities.indexOf(mistake.severity) < severities.indexOf(worst.severity) ? mistake : worst,
  )
  const operations = [...new Set(group.map(({ operation }) => operation))]
  const families = [...new Set(group.map(({ family }) => family))]
  const { describe, advice, isPerOperation } = habitOf(habit)
  const single = isPerFamily(habit, families) ? [families[0]!] : []
  return {
    key: [severity, habit, ...(isPerOperation ? operations : []), ...single].join(' | '),
    severity,
    habit,
    operations,
    families,
    sentence: describe({ operations, families }),
    advice: typeof advice === 'string' ? advice : advice(minimal.schedule, group),
    detail: minimal.detail,
    trace: minimal.trace,
    schedule: minimal.schedule,
    schedules: [...new Set(group.map(({ schedule }) => schedule.name))],
    unrepeated: [],
    isFlaky: false,
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
