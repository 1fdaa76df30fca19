import type { SweepVerdict } from '../sweep.ts'
import type { Result, Verdict } from '../verdict.ts'

/** What reports are made of: the verdict of each run, in the order in which they ran. */
export type Judged = readonly (Verdict | SweepVerdict)[]

/** One run, or what a sweep comes to, as one list of results under one heading. */
export interface Suite {
  readonly heading: string
  readonly file: string | null
  readonly results: readonly Result[]
  readonly passed: boolean
  readonly elapsedMs: number
  readonly run: Verdict | null
  readonly isOfSweep: boolean
}

/** One suite for each run; a sweep has one more, for what must be so in one of its runs. */
export function suitesOf(judged: Judged): Suite[] {
  return judged.flatMap((verdict) => {
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
        elapsedMs: 0,
        run: null,
        isOfSweep: true,
      },
    ]
  })
}

function suiteOf(run: Verdict, isOfSweep: boolean): Suite {
  const { name, file, seed, passed, elapsedMs } = run
  const heading = `${headingOf(name, file)}${seed === null ? '' : `, seed ${seed}`}`
  return { heading, file, results: putCauseFirst(run.results), passed, elapsedMs, run, isOfSweep }
}

/**
 * Failures first, the likeliest cause of the others at their head: a bad end, then what the earliest request shows. A failure
 * that no request shows, such as a missing task, is mostly a consequence.
 */
function putCauseFirst(results: readonly Result[]): Result[] {
  const rankOf = ({ path, fails, requests }: Result): number => {
    if (!fails) return Infinity
    if (['command', 'run', 'drive'].includes(path)) return -1
    return requests.length > 0 ? Math.min(...requests) : Number.MAX_SAFE_INTEGER
  }
  return results.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)))
}

function compareRanks(one: number, other: number): number {
  return one === other ? 0 : one - other
}

function headingOf(name: string, file: string | null): string {
  return file === null ? name || 'run' : name === '' ? file : `${file}: ${name}`
}

/** What is wrong, or why it was not judged, in one line. */
export function explain({ expected, actual, requests, hint }: Result): string {
  return `expected ${expected}; ${actual}${numbersIn(requests)}${hint === undefined ? '' : `. ${hint}`}`
}

/** What may be a mistake, in one line. */
export function explainDoubt({ message, requests }: NonNullable<Result['doubtful']>): string {
  return `doubtful: ${message}${numbersIn(requests)}`
}

function numbersIn(requests: readonly number[]): string {
  return requests.length === 0 ? '' : ` (${requests.map((number) => `#${number}`).join(', ')})`
}

/** The lines that do failed runs again. */
export function reproductions(judged: Judged): string[] {
  const lines = judged
    .flatMap((verdict) => ('runs' in verdict ? verdict.runs : [verdict]))
    .filter(({ passed }) => !passed)
    .map(({ reproduce }) => reproduce)
  return [...new Set(lines.filter((line) => line !== null))]
}

/** A text in one line, without what moves a terminal's cursor or colours it. */
export function inOneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
}
