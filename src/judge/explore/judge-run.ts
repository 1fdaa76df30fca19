import { brokenInvariants } from '../habits/invariant-habit.ts'
import { habitNamed, habits, inOrder } from '../habits/habits.ts'
import { countPaid } from '../habits/payments.ts'
import { maskInstants, type ClientRun } from '../runs/client-run.ts'
import { findCommonResult, hasResult } from '../runs/results.ts'
import { isSlow, type Injection } from '../runs/injection.ts'
import { baseline as baselineSchedule, isBaseline, toRuleIds, type Schedule } from '../runs/schedules.ts'
import {
  findSendingLine,
  firstTrouble,
  hitBy,
  severities,
  type Baseline,
  type ClientMistake,
  type RunContext,
  type Severity,
} from '../runs/run-context.ts'

/**
 * The outcome of a run for the matrix: the client's mistake, or none. `resubmitted`: it submitted again because it could
 * not know that the first request was accepted. `advised`: it fails with a gateway for which it can't be blamed. `not reached`: the injected request never came. `not judged`: the response was slow
 * or the task endless in virtual time, but the client's time-outs pass in real time, so none could end; or time waited for what takes no part.
 */
export type CellState =
  | Severity
  | 'advised'
  | 'survived'
  | 'reported'
  | 'resubmitted'
  | 'not reached'
  | 'not judged'

export interface JudgedRun {
  readonly state: CellState
  /** Worst first. */
  readonly mistakes: readonly ClientMistake[]
  /** The state if none of these is proven. */
  readonly otherwise: CellState
}

/** Judges whether the client reacted to the injections of a run like a good client. */
export function judgeRun(schedule: Schedule, run: ClientRun, baseline: Baseline): JudgedRun {
  const injections = schedule.parts.map(({ injection }) => injection)
  const missed = toRuleIds(schedule.parts).some(
    (id, index) => !injections[index]!.crash && hitBy(run, id).length === 0,
  )
  const crashes = injections.filter(({ crash }) => crash).length
  if (!wasVisible(schedule, run)) return { state: 'not reached', mistakes: [], otherwise: 'not reached' }
  if (missed || (run.crashes ?? []).length < crashes)
    return { state: 'not reached', mistakes: [], otherwise: 'not reached' }
  const context: RunContext = {
    ...baseline,
    schedule,
    injections,
    run,
    baselineRun: baseline.run,
    // After a crash, the result is that of the last process alone: it is not compared.
    isComparable:
      baseline.isComparable &&
      crashes === 0 &&
      !schedule.variant?.hasOwnResult &&
      !injections.some((each) => each.hasOwnResult),
    expected: expectedOf(schedule),
    isSame:
      run.ended === 'succeeded' &&
      hasResult(run, baseline.expectedResult ?? findCommonResult([baseline.run])!),
    surplus: countPaid(run) - countPaid(baseline.run),
  }
  const mistakes = listMistakes(context).toSorted(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  )
  const otherwise = goodState(context)
  if (schedule.variant?.isUnread && mistakes.length > 0)
    return { state: 'advised', mistakes: [], otherwise: 'advised' }
  return { state: mistakes[0]?.severity ?? otherwise, mistakes, otherwise }
}

/** Whether a response showed the client what a schedule changes. A client that cancels its task sees nothing of its planned end. */
function wasVisible({ parts, variant }: Schedule, run: ClientRun): boolean {
  const { exchanges, operations, ended, verdict } = run
  if (variant?.visibleBy) {
    const { status, rule } = variant.visibleBy
    return exchanges.some((entry) => entry.status === status && entry.rules.includes(rule))
  }
  // A client that never ended did not leave its task early.
  if (ended === 'hung' || ended === 'endless') return true
  const ids = toRuleIds(parts)
  return parts.every(({ injection, place }, index) => {
    const { task } = injection.effect(place)
    if (!task || injection.expected !== 'report') return true
    const planned = hitBy(run, ids[index]!).flatMap((entry) => entry.task ?? [])
    return planned.every((id) => {
      const { kind = '' } = verdict.tasks.find((each) => each.id === id) ?? {}
      const { failure, cancelled } = operations.lifecycleOf(kind)?.roles ?? {}
      const isCancelled = task.outcome === 'cancelled'
      const end = isCancelled ? cancelled : failure
      const about = exchanges.filter((entry) => entry.task === id && entry.role !== 'submit')
      const hasCancelled = about.some(({ role }) => role === 'cancel')
      if (injection.family === 'task stuck') return !hasCancelled
      if (isCancelled && hasCancelled) return false
      const reported = about.flatMap(({ reportedStatus }) => reportedStatus ?? [])
      // Without a status in its polls, the client learns the end in another way, such as by a list.
      return reported.length === 0 || (end !== undefined && reported.includes(end))
    })
  })
}

/** Judges the baseline run, which has no injection. */
export function judgeBaseline(baseline: Baseline): ClientMistake[] {
  return listMistakes({
    ...baseline,
    schedule: baselineSchedule,
    injections: [],
    baselineRun: baseline.run,
    expected: 'survive',
    isSame: true,
    surplus: 0,
  })
}

/** The habits that a run shows, of each cause the first. */
function listMistakes(context: RunContext): ClientMistake[] {
  const { run, schedule } = context
  const seenIn = isBaseline(schedule) ? 'baseline' : undefined
  // A wrong result of a pair appears at the download.
  const part = schedule.parts.find(({ place }) => place.kind === 'download') ?? schedule.parts.at(-1)
  const family = part?.injection.family ?? schedule.variant?.id ?? 'baseline'
  const answered = new Set<string>()
  return inOrder([...habits, ...brokenInvariants(run).map(habitNamed)]).flatMap((habit): ClientMistake[] => {
    const { name, cause, severity, detects, isOverall } = habit
    if (habit.seenIn !== 'every run' && habit.seenIn !== seenIn) return []
    if (cause && answered.has(cause)) return []
    const detail = detects(context)
    if (detail === undefined) return []
    const worst = typeof severity === 'string' ? severity : severity(context)
    if (worst === 'hung' && run.isOutside && !isBaseline(schedule)) return []
    if (cause) answered.add(cause)
    const since = (habit.since ?? firstTrouble)(context)
    const place = findSendingLine(context, since)
    return [
      {
        severity: worst,
        habit: name,
        operation: isOverall ? 'any' : (part?.place.operation ?? 'any'),
        family,
        detail: maskInstants(detail),
        since,
        ...(place !== undefined && { place }),
      },
    ]
  })
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
  if ((run.mayEndLater || run.isOutside) && run.ended !== 'succeeded' && run.ended !== 'failed')
    return 'not judged'
  const hasSurvived = isSame || (run.ended === 'succeeded' && expected !== 'report')
  if (!hasSurvived) return 'reported'
  const isProof = !run.hasRealTimeouts || !injections.some(isSlow)
  return isProof ? 'survived' : 'not judged'
}
