import { githubReport } from './reports/github.ts'
import { jsonReport } from './reports/json.ts'
import { junitReport } from './reports/junit.ts'
import { markdownReport } from './reports/markdown.ts'
import { tapReport } from './reports/tap.ts'
import type { ReportFormat } from './reports/formats.ts'
import type { Judged } from './reports/words.ts'

type Writer = (judged: Judged, toPath?: (file: string) => string) => string

const writers: Readonly<Record<ReportFormat, Writer>> = {
  junit: (judged) => junitReport(judged),
  github: githubReport,
  markdown: markdownReport,
  json: jsonReport,
  tap: tapReport,
}

/**
 * Writes verdicts in a format.
 * @param toPath converts paths for annotations, which count from the root of the repository.
 */
export function writeReport(format: ReportFormat, judged: Judged, toPath?: (file: string) => string): string {
  return writers[format](judged, toPath)
}
