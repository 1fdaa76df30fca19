import { githubReport } from './reports/github.ts'
import { jsonReport } from './reports/json.ts'
import { junitReport } from './reports/junit.ts'
import { markdownReport } from './reports/markdown.ts'
import { tapReport } from './reports/tap.ts'
import type { ReportFormat } from './reports/formats.ts'
import type { Judged } from './reports/words.ts'

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
