import type { Report } from '../../reports/report.ts'
import { toPageData } from './page-data.ts'
import type { ReportedExploration } from './reported.ts'
import { describeExplorations } from './suites.ts'

/** Reports explorations in any format. */
export function reportExplorations(explorations: readonly ReportedExploration[]): Report {
  return {
    ...describeExplorations(explorations),
    title: 'greenroom explore',
    passed: explorations.every(({ findings }) => !findings.some(({ fails }) => fails)),
    json: { explorations: explorations.map(toJson) },
    pageData: () => toPageData(explorations),
  }
}

function toJson({ title, score, left, cells, findings }: ReportedExploration): Record<string, unknown> {
  return {
    title,
    score,
    runs: cells.length,
    notTried: left.map(({ name }) => name),
    findings: findings.map((finding) => ({
      key: finding.key,
      severity: finding.severity,
      habit: finding.habit,
      operations: finding.operations,
      families: finding.families,
      sentence: finding.sentence,
      advice: finding.advice,
      detail: finding.detail,
      smallest: finding.schedule.name,
      schedules: finding.schedules,
      accepted: finding.isAccepted,
      flaky: finding.isFlaky,
      unrepeated: finding.unrepeated,
      ...(finding.file !== undefined && { file: finding.file }),
    })),
    cells: cells.map(({ schedule, state }) => ({ schedule: schedule.name, state })),
  }
}
