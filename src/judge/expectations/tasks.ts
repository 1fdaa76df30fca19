import { fitsGlob } from '../../engine/glob.ts'
import { fitsValue } from '../../scenario/rules/match.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { ArtifactExpectation, TaskExpectation, ValueMatch } from '../../scenario/vocabulary/types.ts'
import { isAmong } from '../exchanges.ts'
import {
  fitsCount,
  formatCount,
  formatMs,
  formatRange,
  formatTimes,
  maxListed,
  parseDurationRange,
  formatDollars,
} from '../ranges.ts'
import type { Fate } from '../invariants/invariant.ts'
import { type Download, wasLeftEarly } from '../watched-tasks.ts'
import type { Check, ExpectationFinding, ReportedTask, PlacedCheck, RunState } from './check.ts'
import { dollarsOf } from '../../gateway/accounts/prices.ts'

/** Numbers the tasks of each kind from 1. */
export function numberTasks(
  tasks: readonly ReportedTask[],
): { task: ReportedTask; kind: string; nth: number }[] {
  const counts = new Map<string, number>()
  return tasks.map((task) => {
    const nth = (counts.get(task.kind) ?? 0) + 1
    counts.set(task.kind, nth)
    return { task, kind: task.kind, nth }
  })
}

/** How long each task took that has ended, and which ones never end by themselves. */
export function findFates({ tasks, now }: Pick<RunState, 'tasks' | 'now'>): ReadonlyMap<string, Fate> {
  return new Map(
    tasks.flatMap((task): [string, Fate][] => {
      const { id, submittedAt, finishedAt, timeline } = task
      if (hasEnded(task)) return [[id, { tookMs: finishedAt - submittedAt }]]
      return timeline.every(({ from }) => from <= now) ? [[id, { tookMs: undefined }]] : []
    }),
  )
}

export const hasEnded = ({ finishedAt }: ReportedTask): boolean => finishedAt > 0

/** Judges tasks by their state at the end of the run. */
export function taskCheck(wanted: TaskExpectation): Check['judge'] {
  const { status, reason, elapsed, nth, each, count = nth === undefined ? { min: 1 } : 1 } = wanted
  const fitsElapsed = parseDurationRange(elapsed)

  const isSelected = ({ task, ...place }: ReturnType<typeof numberTasks>[number]): boolean =>
    (wanted.kind === undefined || wanted.kind === place.kind) &&
    (nth === undefined || nth === place.nth) &&
    (wanted.op === undefined || isAmong(wanted.op, task.operation)) &&
    (wanted.model === undefined || fitsGlob(wanted.model, String(task.request['model'] ?? '')))

  const fits = (task: ReportedTask): boolean =>
    (status === undefined || [status].flat().includes(task.status)) &&
    (reason === undefined || fitsValue(reason, task.reason === '' ? [] : [task.reason])) &&
    (fitsElapsed === undefined || (hasEnded(task) && fitsElapsed(task.finishedAt - task.submittedAt)))

  return ({ tasks }) => {
    const selected = numberTasks(tasks).filter(isSelected)
    const others = selected.filter(({ task }) => !fits(task)).map(({ task }) => task)
    const fitting = selected.length - others.length
    const [subject, properties] = [formatSubject(wanted), formatProperties(wanted)]
    const quantity = each ? 'each ' : nth === undefined ? `${formatCount(count)} × ` : ''
    const expected = `${quantity}${subject}${properties && `: ${properties}`}`
    if (each && selected.length === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was no such task', requests: [] }
    const passed = each ? others.length === 0 : fitsCount(count, fitting)
    const rest =
      passed || others.length === 0 ? '' : `; others: ${others.slice(0, 3).map(formatTask).join(', ')}`
    const actual =
      passed || others.length > 0
        ? `${fitting} of ${selected.length}${rest}`
        : `expected ${typeof count === 'number' ? 'exactly ' : ''}${formatCount(count)}; there ${fitting === 1 ? 'was' : 'were'} ${fitting}`
    return { verdict: passed ? 'pass' : 'fail', expected, actual, requests: [] }
  }
}

function formatTask(task: ReportedTask): string {
  const after = hasEnded(task) ? ` after ${formatMs(task.finishedAt - task.submittedAt)}` : ''
  return `${task.id} ${task.status}${after}${task.reason && ` (${task.reason.slice(0, 80)})`}`
}

function formatSubject({ kind, op, model, nth }: TaskExpectation): string {
  const by = op === undefined ? '' : ` by ${[op].flat().join(' or ')}`
  const of = model === undefined ? '' : ` of ${model}`
  return `${kind === undefined ? '' : `${kind} `}task${nth === undefined ? '' : ` ${nth}`}${by}${of}`
}

function formatProperties({ status, reason, elapsed }: TaskExpectation): string {
  return [
    ...(status === undefined ? [] : [[status].flat().join(' or ')]),
    ...(reason === undefined ? [] : [`reason ${formatMatch(reason)}`]),
    ...(elapsed === undefined ? [] : [`elapsed ${formatRange(elapsed, '0s')}`]),
  ].join(', ')
}

function formatMatch(match: ValueMatch): string {
  if (match === null || typeof match !== 'object') return JSON.stringify(match)
  if ('not' in match) return `not ${formatMatch(match.not)}`
  const [[kind, value] = ['', '']] = Object.entries(match)
  return `${kind} ${JSON.stringify(value)}`
}

/**
 * Judges the client's downloads of each task that succeeded. A task that it left before it knew of its success is not expected to be
 * downloaded, unless it is named: `no-abandoned-task` judges that.
 * @param mayFail whether the client may report a failure instead.
 */
export function artifactCheck(
  { kind, taskNth, downloaded }: ArtifactExpectation,
  mayFail = false,
): Check['judge'] {
  const subject = taskNth === undefined ? `each finished ${kind} task` : `${kind} task ${taskNth}`
  const expected = `${subject} downloaded: ${downloaded}`

  const fits = (download: Download | undefined): boolean => {
    if (downloaded === 'never') return download === undefined
    return downloaded === 'any' ? download !== undefined : download?.isIntact === true
  }

  return ({ tasks, watch }): ExpectationFinding => {
    const selected = numberTasks(tasks)
      .filter((each) => each.kind === kind && (taskNth === undefined || each.nth === taskNth))
      .filter(({ task }) => hasSucceeded(task, watch.operations) && !wasCancelled(task, watch.operations))
    if (selected.length === 0)
      return { verdict: 'not-exercised', expected, actual: 'no such task succeeded', requests: [] }
    const known = selected.filter(({ task }) => {
      const watched = watch.tasks.find(task.id)
      return taskNth !== undefined || !watched || !wasLeftEarly(watched, task.finishedAt)
    })
    if (known.length === 0 && downloaded !== 'never')
      return { verdict: 'not-exercised', expected, actual: leftEarly(selected[0]!.task.id), requests: [] }
    const wrong = known
      .map(({ task }) => ({ task, download: watch.tasks.find(task.id)?.download }))
      .filter(({ download }) => !fits(download))
    const [first] = wrong
    if (first && mayFail && watch.end === 'failed')
      return { verdict: 'pass', expected, actual: 'the client reports a failure instead', requests: [] }
    if (!first)
      return { verdict: 'pass', expected, actual: `true of ${known.length || selected.length}`, requests: [] }
    const more = wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''
    return {
      verdict: 'fail',
      expected,
      actual: `${first.task.id} ${formatDownload(first.download)}${more}`,
      requests: wrong.flatMap(({ download }) => download?.last ?? []).slice(0, maxListed),
    }
  }
}

const leftEarly = (id: string): string => `the client left ${id} before it knew that it had succeeded`

/** Whether a task succeeded: it ended without a reason, whatever its status is called. */
function hasSucceeded(task: ReportedTask, operations: OperationTable): boolean {
  return (
    hasEnded(task) && task.status !== operations.lifecycleOf(task.kind)?.roles.failure && task.reason === ''
  )
}

const wasCancelled = ({ kind, status }: ReportedTask, operations: OperationTable): boolean =>
  status === operations.lifecycleOf(kind)?.roles.cancelled

function formatDownload(download: Download | undefined): string {
  if (!download) return 'was never downloaded'
  const { times, complete, partial, altered, isIntact } = download
  const parts = `${complete} complete, ${partial} partial, ${altered} altered`
  return `was downloaded ${formatTimes(times)} (${parts}) and is ${isIntact ? '' : 'not '}intact`
}

/** The cost of a run in dollars. A failed task costs nothing; an unfinished one counts. */
export function findSpent({ watch, tasks }: Pick<RunState, 'watch' | 'tasks'>): number {
  const failed = tasks.filter((task) => hasEnded(task) && !hasSucceeded(task, watch.operations))
  const failedBefore = watch.tasks.all().filter(({ hasFailed }) => hasFailed)
  const refunded = new Set([...failed, ...failedBefore].map(({ id }) => id))
  const refunds = [...refunded].map((id) => watch.tasks.find(id)?.submission?.quota ?? 0)
  return dollarsOf(refunds.reduce((rest, quota) => rest - quota, watch.quota))
}

/** Judges the cost of the run. */
export function spendCheck({ max }: { readonly max: number }): PlacedCheck {
  return {
    path: ['spend'],
    judge: (run) => {
      const spent = findSpent(run)
      return {
        verdict: spent <= max ? 'pass' : 'fail',
        expected: `at most ${formatDollars(max)}`,
        actual: `spent ${formatDollars(spent)}`,
        requests: [],
      }
    },
  }
}
