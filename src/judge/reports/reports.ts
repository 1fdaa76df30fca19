import { version } from '../../version.ts'
import { githubReport } from './github.ts'
import { htmlReport } from './html/html.ts'
import type { ReportData } from './html/report-data.ts'
import { junitReport, type RealMs } from './junit.ts'
import { markdownReport } from './markdown.ts'
import { tapReport } from './tap.ts'
import type { Verdicts } from './text.ts'

/** What the verdicts alone don't contain. */
export interface ReportOptions {
  /** Converts paths for annotations, which are relative to the root of the repository. */
  readonly toPath?: (file: string) => string
  readonly realMs?: RealMs
  /** What happened in the runs, and the page that shows it. Only the HTML report needs them. */
  readonly html?: () => { readonly page: string; readonly data: ReportData }
}

const writers = {
  junit: (verdicts, { realMs }) => junitReport(verdicts, realMs),
  github: (verdicts, { toPath }) => githubReport(verdicts, toPath),
  markdown: markdownReport,
  json: jsonReport,
  tap: tapReport,
  html: (_verdicts, { html }) => {
    if (!html) throw new Error('Failed to write an HTML report: the runs were not recorded.')
    const { page, data } = html()
    return htmlReport(page, data)
  },
} satisfies Readonly<Record<string, (verdicts: Verdicts, options: ReportOptions) => string>>

export type ReportFormat = keyof typeof writers

/** Report formats for machines and web pages, by the names of `--report`. */
export const reportFormats = Object.keys(writers) as ReportFormat[]

export function writeReport(format: ReportFormat, verdicts: Verdicts, options: ReportOptions = {}): string {
  return writers[format](verdicts, options)
}

/** The JSON report. `format` is bumped on breaking changes. */
export interface JsonReport {
  readonly format: 2
  readonly greenroom: string
  readonly passed: boolean
  readonly verdicts: Verdicts
}

function jsonReport(verdicts: Verdicts): string {
  const passed = verdicts.every((verdict) => verdict.passed)
  const report: JsonReport = { format: 2, greenroom: version, passed, verdicts }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
