import { writesText } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { InvariantName, Scenario } from '../../scenario/vocabulary/types.ts'
import { rulePrefix, type ClientRun } from './client-run.ts'
import { failureReason, type Injection } from './injections.ts'
import { toRuleIds, type Schedule } from './schedules.ts'
import { canListTasks } from './places.ts'

/** The kinds of mistakes, worst first. */
export const severities = ['wrong result', 'paid twice', 'hung', 'gave up', 'misbehaved'] as const
export type Severity = (typeof severities)[number]

/**
 * The outcome of a run for the matrix: the client's mistake, or none. `resubmitted`: it submitted again because it could
 * not know that the first request was accepted. `not reached`: the injected request never came.
 */
export type CellState = Severity | 'survived' | 'reported' | 'resubmitted' | 'not reached'

/** One mistake of a client in one run. */
export interface Mistake {
  readonly severity: Severity
  /** Its name in keys: an invariant, or a word of `habits`. */
  readonly habit: string
  readonly operation: string
  readonly family: string
  /** The details of this run, in one line. */
  readonly detail: string
}

export interface JudgedRun {
  readonly state: CellState
  /** Worst first. */
  readonly mistakes: readonly Mistake[]
}

/** The baseline run, and which parts of it can be compared. */
export interface Baseline {
  readonly run: ClientRun
  /** Whether two baseline runs had the same result. */
  readonly isComparable: boolean
  /** Whether a command ran. It reports a failure only by its exit code. */
  readonly hasExitCode: boolean
  /** What holds in every run. */
  readonly scenario?: Scenario
}

interface RunContext extends Baseline {
  readonly schedule: Schedule
  readonly injections: readonly Injection[]
  readonly of: ClientRun
  readonly expected: Injection['expected']
  readonly isSame: boolean
  /** How many tasks and texts were paid for in addition to those of the baseline run. */
  readonly surplus: number
}

type Found = Omit<Mistake, 'operation' | 'family'> & { readonly operation?: string }

/** Judges whether the client reacted to the injections of a run like a good client. */
export function judgeRun(schedule: Schedule, of: ClientRun, baseline: Baseline): JudgedRun {
  const injections = schedule.parts.map(({ injection }) => injection)
  const missed = toRuleIds(schedule.parts).some(
    (id, index) => !injections[index]!.crash && hitBy(of, id).length === 0,
  )
  const crashes = injections.filter(({ crash }) => crash).length
  if (missed || (of.crashes ?? []).length < crashes) return { state: 'not reached', mistakes: [] }
  const context: RunContext = {
    ...baseline,
    schedule,
    injections,
    of,
    // The last of several processes need not report what earlier ones have done.
    isComparable: baseline.isComparable && crashes === 0,
    expected: expectedOf(schedule),
    isSame: of.ended === 'succeeded' && of.result === baseline.run.result,
    surplus: countPaid(of) - countPaid(baseline.run),
  }
  // A wrong result of a pair appears at the download.
  const part = schedule.parts.find(({ place }) => place.kind === 'download') ?? schedule.parts.at(-1)
  const family = part?.injection.family ?? schedule.variant?.id ?? 'baseline'
  const mistakes = checks
    .flatMap((check) => check(context))
    .map((found): Mistake => ({ operation: part?.place.operation ?? 'any', family, ...found }))
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
  return { state: mistakes[0]?.severity ?? goodState(context), mistakes }
}

/** Judges the baseline run, which has no injection. */
export function judgeBaseline({ run }: Baseline): Mistake[] {
  const { ended, reason } = run
  const end: Found[] =
    ended === 'succeeded'
      ? []
      : [
          {
            severity: ended === 'failed' ? 'gave up' : 'hung',
            habit: 'fails-by-itself',
            detail: reason,
          },
        ]
  return [...end, ...brokenInvariants(run)].map((found) => ({
    operation: 'any',
    family: 'baseline',
    ...found,
  }))
}

/** The strictest expectation of several injections: after a failure, no result can be expected. */
function expectedOf({ parts }: Schedule): Injection['expected'] {
  const all = parts.map(({ injection, place }) =>
    injection.expected === 'report' && ['read', 'change'].includes(place.kind)
      ? 'either'
      : injection.expected,
  )
  return all.includes('report') ? 'report' : all.includes('either') ? 'either' : 'survive'
}

function goodState({ of, expected, isSame, surplus }: RunContext): CellState {
  if (surplus > 0 && of.ended === 'succeeded') return 'resubmitted'
  const hasSurvived = isSame || (of.ended === 'succeeded' && expected !== 'report')
  return hasSurvived ? 'survived' : 'reported'
}

/** Tasks, and texts that arrived complete. */
function countPaid({ exchanges, verdict }: ClientRun): number {
  const texts = exchanges.filter(
    ({ role, status, content, fault, rules, stream }) =>
      writesText({ role }) &&
      status === 200 &&
      content === 'complete' &&
      fault === null &&
      !rules.some((rule) => rule.startsWith(rulePrefix)) &&
      (!stream || stream.ended === 'finished'),
  )
  return verdict.tasks.length + texts.length
}

/** The requests that the first injection affected. */
const hitFirst = ({ of, schedule }: RunContext): JournalEntry[] =>
  hitBy(of, toRuleIds(schedule.parts)[0] ?? '')

const hitBy = ({ exchanges }: ClientRun, rule: string): JournalEntry[] =>
  exchanges.filter(({ rules }) => rules.includes(rule))

const isPaidFor = (entry: JournalEntry): boolean => entry.role === 'submit' || writesText(entry)

/** Families in which the client can't know whether its request was accepted. */
const unknowable = ['answer lost', 'network', 'bytes', 'stream', 'ended early', 'corrupt bytes']

const checks: readonly ((context: RunContext) => readonly Found[])[] = [
  checkEnd,
  checkResult,
  checkPayments,
  checkSurvival,
  checkManners,
  checkFailedTasks,
  checkRefusals,
]

/** Whether the client was exchanging requests and responses until a limit of real time ended its run. */
function wasSending({ exchanges }: ClientRun, baseline: ClientRun): boolean {
  return exchanges.length > 2 * baseline.exchanges.length + 10 && exchanges.at(-1)!.status > 0
}

function checkEnd({ of, run }: RunContext): Found[] {
  if (of.ended !== 'hung' && of.ended !== 'endless') return []
  if (of.ended === 'hung' && !wasSending(of, run))
    return [{ severity: 'hung', habit: 'no-deadline', detail: of.reason }]
  if (of.verdict.invariants.some(({ name, violations }) => name === 'ends-tool-loop' && violations > 0))
    return []
  const polls = of.exchanges.filter((entry) => entry.role === 'poll')
  const arePolls = polls.length * 2 > of.exchanges.length && polls.at(-1)!.status < 400
  const habit = arePolls ? 'polls-forever' : 'retries-forever'
  const detail = `${of.exchanges.length} requests, ${run.exchanges.length} in the baseline run`
  return [{ severity: 'hung', habit, detail }]
}

function checkResult(context: RunContext): Found[] {
  const { of, expected, isSame, surplus, isComparable, hasExitCode, run, injections, schedule } = context
  if (of.ended !== 'succeeded') return []
  if (expected === 'report') {
    const isEarlyEnd = injections.some(({ family }) => family === 'ended early')
    if (isEarlyEnd && hasRepeated(context)) return []
    const isAlike = isSame || (!isEarlyEnd && (hasExitCode || shapeOf(of.result) === shapeOf(run.result)))
    if (surplus > 0 || !isAlike) return []
    const detail = isSame
      ? 'the same result as in the baseline run'
      : `it succeeds with ${shorten(of.result)}`
    return [{ severity: 'wrong result', habit: isEarlyEnd ? 'ignores-early-end' : 'ignores-failure', detail }]
  }
  // The client can't have downloaded a task that it doesn't know.
  const damaged = surplus > 0 ? undefined : of.verdict.results.find(isDamaged)
  const wasDamaged = run.verdict.results.some(isDamaged)
  if (damaged && !wasDamaged) {
    const habit = damaged.requests.length === 0 ? 'skips-download' : 'keeps-damaged-bytes'
    return [{ severity: 'wrong result', habit, detail: damaged.actual }]
  }
  if (isSame || !isComparable || surplus > 0) return []
  const habit = schedule.parts.some(({ place }) => place.kind === 'download')
    ? 'keeps-damaged-bytes'
    : 'other-result'
  const detail = `${shorten(of.result)} instead of ${shorten(run.result)}`
  return [{ severity: 'wrong result', habit, detail }]
}

/** Whether the client requested an affected text again, perhaps with a higher limit, and received it completely. */
function hasRepeated(context: RunContext): boolean {
  const { of, run } = context
  const isLike =
    (hit: JournalEntry) =>
    ({ operation, identity, prompt }: JournalEntry): boolean =>
      operation === hit.operation && (identity === hit.identity || (prompt !== null && prompt === hit.prompt))
  return hitFirst(context).every((hit) => {
    const again = of.exchanges.filter(isLike(hit))
    const isComplete = again.some(
      ({ number, status, content, rules }) =>
        number > hit.number &&
        status === 200 &&
        content === 'complete' &&
        !rules.some((rule) => rule.startsWith(rulePrefix)),
    )
    return isComplete && again.length > run.exchanges.filter(isLike(hit)).length
  })
}

const shorten = (result: string): string => JSON.stringify(result.slice(0, 100))

/** The shape of a result, without numbers and bytes. A returned failure has other fields than a success. */
const shapeOf = (result: string): string => result.replace(/bytes [0-9a-f]+|\d+/g, '#')

const isDamaged = ({ path, verdict }: ClientRun['verdict']['results'][number]): boolean =>
  path.startsWith('artifacts') && verdict === 'fail'

function checkPayments(context: RunContext): Found[] {
  const { of, injections, schedule, scenario, surplus, run } = context
  const families = injections.map(({ family }) => family)
  const found: Found[] = []
  const crashed = schedule.parts.find(({ injection }) => injection.crash)
  if (crashed) {
    if (surplus <= 0) return found
    const isUnknown = crashed.injection.crash === 'accepted' && crashed.injection.expected === 'either'
    if (isUnknown && surplus === 1 && !canListTasks(crashed.place.operation, scenario)) return found
    const detail = `${countPaid(of)} tasks and texts instead of ${countPaid(run)}`
    return [
      { severity: 'paid twice', habit: isUnknown ? 'resubmits-unlisted' : 'resubmits-after-crash', detail },
    ]
  }
  if (surplus > 0 && !families.some((family) => unknowable.includes(family))) {
    const habit = families.includes('silence') ? 'resubmits-after-time-out' : 'resubmits'
    const detail = `${countPaid(of)} tasks and texts instead of ${countPaid(run)}`
    found.push({ severity: 'paid twice', habit, detail })
  }
  if (!families.includes('slowness')) return found
  const left = hitFirst(context).find((entry) => entry.outcome === 'aborted' && isPaidFor(entry))
  const again =
    left && of.exchanges.find((entry) => entry.number > left.number && entry.identity === left.identity)
  if (again) {
    const detail = `#${again.number} repeats #${left.number}, which the client did not wait for`
    found.push({ severity: 'paid twice', habit: 'leaves-slow-answers', detail })
  }
  return found
}

function checkSurvival({ of, expected, schedule, injections }: RunContext): Found[] {
  if (of.ended !== 'failed') return []
  if (injections.some(({ id }) => id === 'fails') && !of.output.includes(failureReason))
    return [{ severity: 'misbehaved', habit: 'hides-the-reason', detail: of.reason }]
  if (of.hasCrashed) return [{ severity: 'gave up', habit: 'crashes', detail: of.reason }]
  if (/\bundefined\b|\[object Object\]/.test(of.reason) && schedule.parts.length > 0)
    return [{ severity: 'misbehaved', habit: 'unreadable-error', detail: of.reason }]
  const hasCrash = injections.some(({ crash }) => crash)
  const habit = schedule.variant ? 'fails-on-variant' : hasCrash ? 'does-not-recover' : 'not-retried'
  return expected === 'survive' ? [{ severity: 'gave up', habit, detail: of.reason }] : []
}

/** Invariants that a client can't keep if our own body replaces a poll or a submission. */
const blindTo = new Set<string>(['poll-interval', 'no-poll-after-terminal', 'no-duplicate-submit'])

function checkManners({ of, run, schedule }: RunContext): Found[] {
  const broken = new Set<string>(brokenInvariants(run).map(({ habit }) => habit))
  const hasOwnBody = schedule.parts.some(({ injection, place }) => {
    const { respond } = injection.effect(place)
    return respond?.body !== undefined && !respond.broken && (respond.status ?? 200) < 400
  })
  // What was submitted again after a crash is judged as a payment.
  const hasCrash = schedule.parts.some(({ injection }) => injection.crash)
  return brokenInvariants(of).filter(
    ({ habit }) =>
      !broken.has(habit) &&
      !(hasOwnBody && blindTo.has(habit)) &&
      !(hasCrash && habit === 'no-duplicate-submit'),
  )
}

/** The severity of violating an invariant, if it is more than bad manners. */
const severityOf: Readonly<Partial<Record<InvariantName, Severity>>> = {
  'no-duplicate-submit': 'paid twice',
  'no-abandoned-task': 'gave up',
  'ends-tool-loop': 'hung',
}

function brokenInvariants({ verdict }: ClientRun): Found[] {
  return verdict.invariants
    .filter(({ violations }) => violations > 0)
    .map(({ name, first }) => ({
      severity: severityOf[name] ?? 'misbehaved',
      habit: name,
      operation: 'any',
      detail: first?.message ?? '',
    }))
}

function checkFailedTasks({ of }: RunContext): Found[] {
  const failed = new Set(of.verdict.tasks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id))
  const vain = of.exchanges.filter(
    (entry) => failed.has(entry.task ?? '') && entry.role === 'download' && entry.status >= 400,
  )
  if (vain.length === 0) return []
  const detail = `#${vain[0]!.number} requests the content of a task that failed`
  return [{ severity: 'misbehaved', habit: 'downloads-of-failed-task', operation: 'any', detail }]
}

const finalStatuses = [400, 401, 403, 404]

function checkRefusals(context: RunContext): Found[] {
  const { of, injections } = context
  if (of.ended === 'endless' || !injections.some(({ isFinal }) => isFinal)) return []
  const refused = hitFirst(context).filter(({ status }) => finalStatuses.includes(status))
  const times = new Map<string, number>()
  for (const { operation, identity } of refused) {
    const key = `${operation} ${identity}`
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  const most = Math.max(0, ...times.values())
  if (most < 3) return []
  const detail = `${most} requests, each refused with ${refused[0]!.status}`
  return [{ severity: 'misbehaved', habit: 'repeats-final-refusals', operation: 'any', detail }]
}
