// The run that the report page shows.
import { signal } from '@preact/signals'
import type { ReportData } from '../../judge/reports/html/report-data.ts'
import { openPanel } from '../data/selection.ts'
import { applyBatch, hello, isLoaded, markedEntries, resetStore, source } from '../data/store.ts'
import { nameTasks } from '../panels/verdict.tsx'

/** The run that the page shows. */
export const runIndex = signal(0)

/** Loads a run into the page. */
export function openRun(data: ReportData, index: number): void {
  const run = data.runs[index]
  runIndex.value = index
  resetStore()
  isLoaded.value = true
  openPanel.value = 'run'
  if (!run) return
  const { trace, verdict, evidence } = run
  hello.value = { version: data.greenroom, seed: verdict.seed ?? '', olderTasks: trace?.omitted.tasks ?? 0 }
  applyBatch({
    verdict: [...verdict.invariants],
    ...(trace && {
      clock: { ...trace.clock, mode: 'manual' },
      tasks: [...trace.tasks],
      entries: [...trace.entries],
    }),
  })
  markedEntries.value = new Map(evidence.map(({ request, message }) => [request, nameTasks(message)]))
  const reasons = new Map(trace?.entries.map((entry) => [entry.number, entry.reasons]))
  const exchanges = new Map(trace?.exchanges.map((exchange) => [exchange.number, exchange]))
  source.loadDetails = async (number) => {
    const { request, reply } = exchanges.get(number) ?? {}
    return { reasons: reasons.get(number) ?? [], ...(request && { request }), ...(reply && { reply }) }
  }
}
