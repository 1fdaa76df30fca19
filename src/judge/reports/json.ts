import { version } from '../../version.ts'
import type { Judged } from './words.ts'

/** The shape of {@link jsonReport}; a change that breaks readers raises `format`. */
export interface JsonReport {
  readonly format: 1
  readonly greenroom: string
  readonly passed: boolean
  readonly verdicts: Judged
}

/** A report as JSON: `format`, the version that wrote it, whether all passed, and every verdict as it is. */
export function jsonReport(judged: Judged): string {
  const report: JsonReport = {
    format: 1,
    greenroom: version,
    passed: judged.every(({ passed }) => passed),
    verdicts: judged,
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
