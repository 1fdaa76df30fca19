import { formatMs } from '../ranges.ts'
import type { Doubt, JudgedTask, Result, SeedsVerdict, Verdict } from '../verdict.ts'

/** The verdicts of a report, in the order in which the runs ran. */
export type Verdicts = readonly (Verdict | SeedsVerdict)[]

/** The results of one run, or of all runs of a file together, under one heading. */
export interface Suite {
  readonly heading: string
  readonly file: string | null
  readonly results: readonly Result[]
  readonly passed: boolean
  readonly run: Verdict | null
  readonly isOneOfMany: boolean
}

/** One suite for each run; several seeds have one more for `sometimes`. */
export function toSuites(verdicts: Verdicts): Suite[] {
  return verdicts.flatMap((verdict) => {
    if (!('runs' in verdict)) return [suiteOf(verdict, false)]
    const runs = verdict.runs.map((run) => suiteOf(run, true))
    if (verdict.sometimes.length === 0) return runs
    const { name, file, sometimes: results } = verdict
    const passed = results.every(({ fails }) => !fails)
    return [
      ...runs,
      {
        heading: `${headingOf(name, file)}, all seeds`,
        file,
        results,
        passed,
        run: null,
        isOneOfMany: true,
      },
    ]
  })
}

function suiteOf(run: Verdict, isOneOfMany: boolean): Suite {
  const { name, file, seed, passed } = run
  const heading = `${headingOf(name, file)}${seed === null ? '' : `, seed ${seed}`}`
  return { heading, file, results: sortByCause(run.results), passed, run, isOneOfMany }
}

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

function headingOf(name: string, file: string | null): string {
  return file === null ? name || 'run' : name === '' ? file : `${file}: ${name}`
}

/** Why a result is not a pass, in one line. */
export function formatResult({ expected, actual, requests, hint }: Result): string {
  return `expected ${expected}; ${actual}${formatNumbers(requests)}${hint === undefined ? '' : `. ${hint}`}`
}

export function formatDoubt({ message, requests }: Doubt): string {
  return `doubtful: ${message}${formatNumbers(requests)}`
}

function formatNumbers(requests: readonly number[]): string {
  return requests.length === 0 ? '' : ` (${requests.map((number) => `#${number}`).join(', ')})`
}

/** The commands that reproduce the failed runs. */
export function reproduceCommands(verdicts: Verdicts): string[] {
  const lines = verdicts
    .flatMap((verdict) => ('runs' in verdict ? verdict.runs : [verdict]))
    .filter(({ passed }) => !passed)
    .map(({ reproduce }) => reproduce)
  return [...new Set(lines.filter((line) => line !== null))]
}

/** Replaces line breaks and control characters, which could move the cursor of a terminal or colour it. */
export function toOneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
}

const widthCells = 40

/** More tasks are not drawn. */
const maxTasks = 20

/**
 * Draws the tasks of a run, one line each, on a common time axis: `·` before its submission, `░` in its first state, `▒`
 * in later ones, `█` after its end.
 */
export function timelineText({ tasks, elapsedMs }: Pick<Verdict, 'tasks' | 'elapsedMs'>): string {
  if (tasks.length === 0) return ''
  const drawn = tasks.slice(0, maxTasks)
  const names = drawn.map(({ channel, nth }) => `${channel} ${nth}`)
  const width = Math.max(...names.map((name) => name.length))
  const lines = drawn.map((task, index) => {
    const counts = Object.entries(task.operations).map(([operation, count]) => `${operation} ×${count}`)
    return `${names[index]!.padEnd(width)} ${barOf(task, elapsedMs)} ${endOf(task)}; ${counts.join(', ')}`
  })
  const axis = `${' '.repeat(width)} 0s${formatMs(elapsedMs).padStart(widthCells - 2)}`
  const rest = tasks.length > maxTasks ? ['and more'] : []
  return [axis, ...lines, ...rest].join('\n')
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

/** Quotes a word for a shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
