import { githubReport } from './reports/github.ts'
import { jsonReport } from './reports/json.ts'
import { junitReport } from './reports/junit.ts'
import { markdownReport } from './reports/markdown.ts'
import { tapReport } from './reports/tap.ts'
import type { Judged } from './reports/words.ts'

/** The formats that machines and pages read, by the names that `--report` takes. */
export const reportFormats = ['junit', 'github', 'markdown', 'json', 'tap'] as const
export type ReportFormat = (typeof reportFormats)[number]

const writers: Readonly<Record<ReportFormat, (judged: Judged) => string>> = {
  junit: junitReport,
  github: githubReport,
  markdown: markdownReport,
  json: jsonReport,
  tap: tapReport,
}

/** Writes verdicts in a format. */
export function writeReport(format: ReportFormat, judged: Judged): string {
  return writers[format](judged)
}
