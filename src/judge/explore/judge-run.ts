import { rulePrefix } from '../../apis/define/exploration.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { findInvariant } from '../invariants/invariants.ts'
import type { ClientRun } from './client-run.ts'
import { endsByTimeout, isSlow, type Injection } from './injections.ts'
import { misreadText, toRuleIds, type Schedule } from './schedules.ts'
import { canListTasks } from './places.ts'
import {
  hitBy,
  hitFirst,
  severities,
  type Baseline,
  type ClientMistake,
  type FoundMistake,
  type RunContext,
  type Severity,
} from './run-context.ts'

/**
 * The outcome of a run for the matrix: the client's mistake, or none. `resubmitted`: it submitted again because it could
 * not know that the first request was accepted. `not reached`: the injected request never came. `not judged`: the response was slow
 * in virtual time, but the client's time-outs pass in real time, so none could end.
 */
export type CellState = Severity | 'survived' | 'reported' | 'resubmitted' | 'not reached' | 'not judged'

export interface JudgedRun {
  readonly state: CellState
  /** Worst first. */
  readonly mistakes: readonly ClientMistake[]
}

/** Judges whether the client reacted to the injections of a run like a good client. */
export function judgeRun(schedule: Schedule, run: ClientRun, baseline: Baseline): JudgedRun {
  const injections = schedule.parts.map(({ injection }) => injection)
  const missed = toRuleIds(schedule.parts).some(
    (id, index) => !injections[index]!.crash && hitBy(run, id).length === 0,
  )
  const crashes = injections.filter(({ crash }) => crash).length
  if (missed || (run.crashes ?? []).length < crashes) return { state: 'not reached', mistakes: [] }
  const context: RunContext = {
    ...baseline,
    schedule,
    injections,
    run,
    baselineRun: baseline.run,
    // After a crash, the result is that of the last process alone: it is not compared.
    isComparable: baseline.isComparable && crashes === 0 && !injections.some((each) => each.hasOwnResult),
    expected: expectedOf(schedule),
    isSame: run.ended === 'succeeded' && run.result === baseline.run.result,
    surplus: countPaid(run) - countPaid(baseline.run),
  }
  // A wrong result of a pair appears at the download.
  const part = schedule.parts.find(({ place }) => place.kind === 'download') ?? schedule.parts.at(-1)
  const family = part?.injection.family ?? schedule.variant?.id ?? 'baseline'
  const mistakes = checks
    .flatMap((check) => check(context))
    // The first check that finds a payment names it most exactly.
    .filter(
      ({ severity }, index, all) =>
        severity !== 'paid twice' || index === all.findIndex((found) => found.severity === severity),
    )
    .map((found): ClientMistake => ({ operation: part?.place.operation ?? 'any', family, ...found }))
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
  return { state: mistakes[0]?.severity ?? goodState(context), mistakes }
}

/** Judges the baseline run, which has no injection. */
export function judgeBaseline({ run }: Baseline): ClientMistake[] {
  const { ended, reason } = run
  const end: FoundMistake[] =
    ended === 'succeeded'
      ? []
      : [
          {
            severity: ended === 'failed' ? 'gave up' : 'hung',
            habit: 'fails-by-itself',
            detail: reason,
          },
        ]
  const misread: FoundMistake[] = run.result.includes(misreadText)
    ? [{ severity: 'wrong result', habit: 'misreads-text', detail: shorten(run.result) }]
    : []
  return [...end, ...misread, ...brokenInvariants(run)].map((found) => ({
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

function goodState({ run, expected, isSame, surplus, injections }: RunContext): CellState {
  if (surplus > 0 && run.ended === 'succeeded') return 'resubmitted'
  const hasSurvived = isSame || (run.ended === 'succeeded' && expected !== 'report')
  if (!hasSurvived) return 'reported'
  const isProof = !run.hasRealTimeouts || !injections.some(isSlow)
  return isProof ? 'survived' : 'not judged'
}

const checks: readonly ((context: RunContext) => readonly FoundMistake[])[] = [
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

function checkEnd({ run, baselineRun }: RunContext): FoundMistake[] {
  if (run.ended !== 'hung' && run.ended !== 'endless') return []
  // An invariant against endless loops is a mistake of its own.
  if (brokenInvariants(run).some(({ severity }) => severity === 'hung')) return []
  if (run.ended === 'hung' && !wasSending(run, baselineRun))
    return [{ severity: 'hung', habit: 'no-deadline', detail: run.reason }]
  const polls = run.exchanges.filter((entry) => entry.role === 'poll')
  const arePolls = polls.length * 2 > run.exchanges.length && polls.at(-1)!.status < 400
  const habit = arePolls ? 'polls-forever' : 'retries-forever'
  const detail = `${run.exchanges.length} requests, ${baselineRun.exchanges.length} in the baseline run`
  return [{ severity: 'hung', habit, detail }]
}

function checkResult(context: RunContext): FoundMistake[] {
  const { run, expected, isSame, surplus, isComparable, hasExitCode, baselineRun, injections, schedule } =
    context
  if (run.ended !== 'succeeded') return []
  if (expected === 'report') {
    const isEarlyEnd = injections.some(({ endsEarly }) => endsEarly)
    if (isEarlyEnd && hasRepeated(context)) return []
    const isAlike =
      isSame || (!isEarlyEnd && (hasExitCode || shapeOf(run.result) === shapeOf(baselineRun.result)))
    if (surplus > 0 || !isAlike) return []
    const detail = isSame
      ? 'the same result as in the baseline run'
      : `it succeeds with ${shorten(run.result)}`
    return [{ severity: 'wrong result', habit: isEarlyEnd ? 'ignores-early-end' : 'ignores-failure', detail }]
  }
  // The client can't have downloaded a task that it doesn't know.
  const damaged = surplus > 0 ? undefined : run.verdict.results.find(isDamaged)
  const wasDamaged = baselineRun.verdict.results.some(isDamaged)
  if (damaged && !wasDamaged) {
    const habit = damaged.requests.length === 0 ? 'skips-download' : 'keeps-damaged-bytes'
    return [{ severity: 'wrong result', habit, detail: damaged.actual }]
  }
  if (isSame || !isComparable || surplus > 0) return []
  const habit = schedule.parts.some(({ place }) => place.kind === 'download')
    ? 'keeps-damaged-bytes'
    : 'other-result'
  const detail = `${shorten(run.result)} instead of ${shorten(baselineRun.result)}`
  return [{ severity: 'wrong result', habit, detail }]
}

/** Whether the client requested an affected text again, perhaps with a higher limit, and received it completely. */
function hasRepeated(context: RunContext): boolean {
  const { run, baselineRun } = context
  const isLike =
    (hit: JournalEntry) =>
    ({ operation, identity, prompt }: JournalEntry): boolean =>
      operation === hit.operation && (identity === hit.identity || (prompt !== null && prompt === hit.prompt))
  return hitFirst(context).every((hit) => {
    const again = run.exchanges.filter(isLike(hit))
    const isComplete = again.some(
      ({ number, status, content, rules }) =>
        number > hit.number &&
        status === 200 &&
        content === 'complete' &&
        !rules.some((rule) => rule.startsWith(rulePrefix)),
    )
    return isComplete && again.length > baselineRun.exchanges.filter(isLike(hit)).length
  })
}

const shorten = (result: string): string => JSON.stringify(result.slice(0, 100))

/** The shape of a result, without numbers and bytes. A returned failure has other fields than a success. */
const shapeOf = (result: string): string => result.replace(/bytes [0-9a-f]+|\d+/g, '#')

const isDamaged = ({ path, verdict }: ClientRun['verdict']['results'][number]): boolean =>
  path.startsWith('artifacts') && verdict === 'fail'

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

const isPaidFor = (entry: JournalEntry): boolean => entry.role === 'submit' || writesText(entry)

/** Whether a run paid for more than it should have. */
function checkPayments(context: RunContext): FoundMistake[] {
  const { run, injections, schedule, scenario, surplus, baselineRun } = context
  const crashed = schedule.parts.find(({ injection }) => injection.crash)
  if (crashed) {
    if (surplus <= 0) return []
    const isUnknown = crashed.injection.crash === 'accepted' && crashed.injection.expected === 'either'
    const hasList = canListTasks(crashed.place.operation, run.operations, scenario)
    if (isUnknown && surplus === 1 && !hasList) return []
    const habit = isUnknown && hasList ? 'resubmits-unlisted' : 'resubmits-after-crash'
    const detail = `${countPaid(run)} tasks and texts instead of ${countPaid(baselineRun)}`
    return [{ severity: 'paid twice', habit, detail }]
  }
  const left = injections.some(isSlow)
    ? hitFirst(context).find((entry) => entry.outcome === 'aborted' && isPaidFor(entry))
    : undefined
  const again =
    left && run.exchanges.find((entry) => entry.number > left.number && entry.identity === left.identity)
  if (again) {
    const detail = `#${again.number} repeats #${left.number}, which the client did not wait for`
    return [{ severity: 'paid twice', habit: 'leaves-slow-answers', detail }]
  }
  if (surplus <= 0 || injections.some(({ isAcceptanceUnknown }) => isAcceptanceUnknown)) return []
  const habit = injections.some(endsByTimeout) ? 'resubmits-after-time-out' : 'resubmits'
  const detail = `${countPaid(run)} tasks and texts instead of ${countPaid(baselineRun)}`
  return [{ severity: 'paid twice', habit, detail }]
}

function checkSurvival({ run, expected, schedule, injections }: RunContext): FoundMistake[] {
  if (run.ended !== 'failed') return []
  const wasGivenReason = run.exchanges.some(({ final, hidesReason }) => final && !hidesReason)
  const hidesReason = injections.some(({ reason }) => reason !== undefined && !run.output.includes(reason))
  if (wasGivenReason && hidesReason)
    return [{ severity: 'misbehaved', habit: 'hides-the-reason', detail: run.reason }]
  if (run.hasCrashed) return [{ severity: 'gave up', habit: 'crashes', detail: run.reason }]
  if (/\bundefined\b|\[object Object\]/.test(run.reason) && schedule.parts.length > 0)
    return [{ severity: 'misbehaved', habit: 'unreadable-error', detail: run.reason }]
  const hasCrash = injections.some(({ crash }) => crash)
  const habit = schedule.variant ? 'fails-on-variant' : hasCrash ? 'does-not-recover' : 'not-retried'
  return expected === 'survive' ? [{ severity: 'gave up', habit, detail: run.reason }] : []
}

function checkManners({ run, baselineRun, schedule }: RunContext): FoundMistake[] {
  const broken = new Set<string>(brokenInvariants(baselineRun).map(({ habit }) => habit))
  const hasOwnBody = schedule.parts.some(({ injection, place }) => {
    const { respond } = injection.effect(place)
    return respond?.body !== undefined && !respond.broken && (respond.status ?? 200) < 400
  })
  // What was submitted again after a crash is judged as a payment.
  const hasCrash = schedule.parts.some(({ injection }) => injection.crash)
  return brokenInvariants(run).filter(
    ({ habit, severity }) =>
      !broken.has(habit) &&
      !(hasOwnBody && findInvariant(habit)?.needsOwnBodies) &&
      !(severity === 'paid twice' && (hasCrash || isPlanned(habit, run, baselineRun))),
  )
}

/**
 * Whether the client submits a request as often without a fault. Then it continued with its next task after it had failed
 * to follow one, and pays no more than in the baseline run.
 */
function isPlanned(invariant: string, run: ClientRun, baselineRun: ClientRun): boolean {
  const { first } = run.verdict.invariants.find(({ name }) => name === invariant) ?? {}
  const last = run.exchanges.find(({ number }) => number === first?.requests.at(-1))
  const isLike = ({ operation, identity }: JournalEntry): boolean =>
    operation === last?.operation && identity === last.identity
  return run.exchanges.filter(isLike).length <= baselineRun.exchanges.filter(isLike).length
}

function brokenInvariants({ verdict }: ClientRun): FoundMistake[] {
  return verdict.invariants
    .filter(({ violations }) => violations > 0)
    .map(({ name, first }) => ({
      severity: findInvariant(name)?.severity ?? 'misbehaved',
      habit: name,
      operation: 'any',
      detail: first?.message ?? '',
    }))
}

function checkFailedTasks({ run }: RunContext): FoundMistake[] {
  const failed = new Set(
    run.verdict.tasks
      .filter(({ status, channel }) => status === run.operations.lifecycleOf(channel)?.roles.failure)
      .map(({ id }) => id),
  )
  const vain = run.exchanges.filter(
    (entry) => failed.has(entry.task ?? '') && entry.role === 'download' && entry.status >= 400,
  )
  if (vain.length === 0) return []
  const detail = `#${vain[0]!.number} requests the content of a task that failed`
  return [{ severity: 'misbehaved', habit: 'downloads-of-failed-task', operation: 'any', detail }]
}

const finalStatuses = [400, 401, 403, 404]

function checkRefusals(context: RunContext): FoundMistake[] {
  const { run, injections } = context
  if (run.ended === 'endless' || !injections.some(({ isFinal }) => isFinal)) return []
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
