import { formatFaults, formatTotals, formatMs } from '../ranges.ts'
import type { FiredRules, Result, Verdict, JudgedTask } from '../verdict.ts'
import type { ReportBlock, Case, Suite } from './report.ts'

/** The results of one run, or of all runs of a file together, the likeliest cause of failures first. */
export interface Group {
  readonly heading: string
  readonly file: string | null
  readonly results: readonly Result[]
  readonly passed: boolean
  readonly run?: Verdict
  readonly isOneOfMany: boolean
}

/** @param isOneOfMany whether a report says less of it if it passed. */
export function toGroup(run: Verdict, isOneOfMany = false): Group {
  const { name, file, seed, passed } = run
  const heading = `${nameRun(name, file)}${seed === null ? '' : `, seed ${seed}`}`
  return { heading, file, results: sortByCause(run.results), passed, run, isOneOfMany }
}

export const nameRun = (name: string, file: string | null): string =>
  file === null ? name || 'run' : name === '' ? file : `${file}: ${name}`

/**
 * Sorts failures first, and among them the likeliest cause of the others: an abnormal end, then the failure with the
 * earliest request. A failure without a request, such as a missing task, is usually a consequence.
 */
function sortByCause(results: readonly Result[]): Result[] {
  const rankOf = ({ path, fails, requests }: Result): number => {
    if (!fails) return Infinity
    if (['command', 'run', 'drive'].includes(path)) return -1
    return requests.length > 0 ? Math.min(...requests) : Number.MAX_SAFE_INTEGER
  }
  return results.toSorted((one, other) => {
    const [rank, otherRank] = [rankOf(one), rankOf(other)]
    return rank === otherRank ? 0 : rank - otherRank
  })
}

export function toSuite({ heading, file, results, passed, run, isOneOfMany }: Group): Suite {
  const { seed = null, requests, spent = null, reproduce = null } = run ?? {}
  return {
    heading,
    passed,
    isBrief: passed && isOneOfMany,
    cases: results.map((result) => toCase(result, file)),
    before: [],
    after: run ? describeRun(run) : [],
    ...(file !== null && { file }),
    properties: {
      ...(seed !== null && { seed }),
      ...(requests !== undefined && { requests }),
      ...(spent !== null && { spent }),
      ...(reproduce !== null && { reproduce }),
    },
  }
}

function toCase(result: Result, file: string | null): Case {
  const { path, title, verdict, fails, actual, requests, hint, at, doubtful, places = [] } = result
  const kind = verdict === 'fail' ? '' : `${verdict}: `
  return {
    className: `${file ?? 'greenroom'}.${path}`,
    title,
    verdict,
    status: fails ? 'failed' : verdict === 'pass' ? 'passed' : 'skipped',
    lines: [
      ...(verdict === 'pass' ? [] : [`${kind}${actual}${formatNumbers(requests)}`]),
      ...(doubtful ? [`doubtful: ${doubtful.message}${formatNumbers(doubtful.requests)}`] : []),
      ...(places.length > 0 && (verdict !== 'pass' || doubtful) ? [`sent at ${places.join(', ')}`] : []),
    ],
    hint,
    at,
  }
}

function formatNumbers(requests: readonly number[]): string {
  return requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
}

function describeRun(run: Verdict): ReportBlock[] {
  const { passed, fired, approximated } = run
  const faults = Object.entries(approximated)
  const timeline = passed ? [] : timelineLines(run)
  return [
    ...(passed || fired.length === 0 ? [] : [`rules fired: ${formatFiredRules(fired)}`]),
    ...(faults.length > 0 ? [`approximated faults: ${formatFaults(faults)}`] : []),
    ...(timeline.length > 0 ? [{ title: 'Timeline', lines: timeline }] : []),
    formatTotals(run),
  ]
}

/** More requests with rules are not listed. */
const maxFiredListed = 10

/** Formats the requests at which rules fired: `outage at video.poll 2 (#3, 503)`. */
function formatFiredRules(fired: readonly FiredRules[]): string {
  const listed = fired.slice(0, maxFiredListed).map(({ number, operation, nth, rules, status, fault }) => {
    const failure = fault ?? (status >= 400 ? String(status) : undefined)
    const how = failure === undefined ? '' : `, ${failure}`
    return `${rules.join(' + ')} at ${operation} ${nth} (#${number}${how})`
  })
  return [...listed, ...(fired.length > maxFiredListed ? ['and more'] : [])].join(', ')
}

const widthCells = 40

/** More tasks are not drawn. */
const maxTasks = 20

/**
 * Draws the tasks of a run, one line each, on a common time axis: `·` before its submission, `░` in its first state, `▒`
 * in later ones, `█` after its end.
 */
function timelineLines({ tasks, elapsedMs }: Pick<Verdict, 'tasks' | 'elapsedMs'>): string[] {
  if (tasks.length === 0) return []
  const drawn = tasks.slice(0, maxTasks)
  const names = drawn.map(({ kind, nth }) => `${kind} ${nth}`)
  const width = Math.max(...names.map((name) => name.length))
  const lines = drawn.map((task, index) => {
    const counts = Object.entries(task.operations).map(([operation, count]) => `${operation} ×${count}`)
    return `${names[index]!.padEnd(width)} ${barOf(task, elapsedMs)} ${endOf(task)}; ${counts.join(', ')}`
  })
  const axis = `${' '.repeat(width)} 0s${formatMs(elapsedMs).padStart(widthCells - 2)}`
  const rest = tasks.length > maxTasks ? ['and more'] : []
  return [axis, ...lines, ...rest]
}

function barOf(task: JudgedTask, elapsedMs: number): string {
  const cellMs = Math.max(1, elapsedMs) / widthCells
  return Array.from({ length: widthCells }, (_, cell) => symbolAt(task, (cell + 1) * cellMs)).join('')
}

function symbolAt({ submittedMs, endedMs, states }: JudgedTask, instantMs: number): string {
  if (instantMs < submittedMs) return '·'
  if (endedMs !== null && instantMs >= endedMs) return '█'
  const begun = states.filter(({ fromMs }) => fromMs <= instantMs).length
  return begun <= 1 ? '░' : '▒'
}

function endOf({ status, reason, submittedMs, endedMs }: JudgedTask): string {
  const after = endedMs === null ? '' : ` after ${formatMs(endedMs - submittedMs)}`
  return `${status}${after}${reason === '' ? '' : ` (${reason.slice(0, 60)})`}`
}
