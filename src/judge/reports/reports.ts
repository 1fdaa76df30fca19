import { githubReport } from './github.ts'
import { jsonReport } from './json.ts'
import { junitReport, type RealMs } from './junit.ts'
import { markdownReport } from './markdown.ts'
import { tapReport } from './tap.ts'
import type { ReportFormat } from './formats.ts'
import type { Judged } from './words.ts'

/** What reports can't know from the verdicts alone. */
export interface ReportOptions {
  /** Converts paths for annotations, which count from the root of the repository. */
  readonly toPath?: (file: string) => string
  readonly realMs?: RealMs
}

type Writer = (judged: Judged, options: ReportOptions) => string

const writers: Readonly<Record<ReportFormat, Writer>> = {
  junit: (judged, { realMs }) => junitReport(judged, realMs),
  github: (judged, { toPath }) => githubReport(judged, toPath),
  markdown: markdownReport,
  json: jsonReport,
  tap: tapReport,
}

/** Writes verdicts in a format. */
export function writeReport(format: ReportFormat, judged: Judged, options: ReportOptions = {}): string {
  return writers[format](judged, options)
}
