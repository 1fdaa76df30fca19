import { version } from '../../../version.ts'
import { toReportedRun, type CollectedRun } from './collect.ts'
import type { ReportData, ReportedRun } from './report-data.ts'

/** The length of all traces of one file, as JSON. */
const maxTraceLength = 16_000_000

/** More runs that passed are only counted. */
const maxPassedRuns = 200

/** The place for the data in the page that the build makes. */
export const dataElement = ['<script id="greenroom-data" type="application/json">', '</script>'] as const

/**
 * A report as one HTML file that needs no network: the time axis and the journal of each run, and its verdict.
 *
 * @param page the page that the build makes, with an empty element for the data.
 * @throws {Error} for another page.
 */
export function htmlReport(page: string, data: ReportData): string {
  const [start, end] = dataElement
  const [before, after, ...more] = page.split(start + end)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('Failed to write an HTML report: its page has no place for data. Build greenroom again.')
  return before + start + toInlineJson(data) + end + after
}

/** The runs of one report, within a bounded size: traces of runs that passed are dropped first, the latest first. */
export class RunCollection {
  #runs: ReportedRun[] = []
  #passed = 0
  #omittedRuns = 0
  #traceLength = 0

  add(run: CollectedRun): void {
    if (run.verdict.passed && ++this.#passed > maxPassedRuns) {
      this.#omittedRuns++
      return
    }
    const reported = toReportedRun(run)
    this.#runs.push(reported)
    this.#traceLength += lengthOf(reported)
    while (this.#traceLength > maxTraceLength) this.#dropTrace()
  }

  toData(title: string): ReportData {
    return { format: 1, greenroom: version, title, runs: this.#runs, omittedRuns: this.#omittedRuns }
  }

  #dropTrace(): void {
    const traced = this.#runs.filter(({ trace }) => trace !== null)
    const dropped = traced.findLast(({ verdict }) => verdict.passed) ?? traced.at(-1)!
    this.#traceLength -= lengthOf(dropped)
    this.#runs = this.#runs.map((run) => (run === dropped ? { ...run, trace: null } : run))
  }
}

const lengthOf = ({ trace }: ReportedRun): number => (trace === null ? 0 : JSON.stringify(trace).length)

/** JSON for a script element of HTML: no character of it can end the element or begin a comment. */
export function toInlineJson(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
