import { version } from '../../version.ts'
import { githubReport } from './github.ts'
import { htmlReport } from './html/html.ts'
import { junitReport } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report } from './report.ts'

/** What only the caller knows. */
interface WriterOptions {
  /** Converts paths for annotations, which are relative to the root of the repository. */
  readonly toPath?: (file: string) => string
  /** Reads the page of HTML reports, which the build makes. */
  readonly readPage?: () => string
}

const writers = {
  html: (report, { readPage }) => {
    if (!readPage) throw new Error('Failed to write an HTML report: its page was not passed.')
    return htmlReport(readPage(), report.pageData())
  },
  junit: junitReport,
  github: (report, { toPath }) => githubReport(report, toPath),
  markdown: markdownReport,
  json: jsonReport,
} satisfies Readonly<Record<string, (report: Report, options: WriterOptions) => string>>

export type ReportFormat = keyof typeof writers

/** Report formats for machines and web pages, by the names of `--report`. */
export const reportFormats = Object.keys(writers) as ReportFormat[]

export function writeReport(format: ReportFormat, report: Report, options: WriterOptions = {}): string {
  return writers[format](report, options)
}

/** The JSON report of runs or explorations. `format` is bumped on breaking changes. `--accept` reads that of an exploration. */
function jsonReport({ passed, json }: Report): string {
  return `${JSON.stringify({ format: 2, greenroom: version, passed, ...json }, undefined, 2)}\n`
}
