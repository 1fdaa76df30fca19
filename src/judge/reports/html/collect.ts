import type { ExplainedEntry } from '../../../control/journal.ts'
import type { Control } from '../../../control/control.ts'
import type { StoredExchange } from '../../../gateway/messages.ts'
import type { Result, Verdict } from '../../verdict.ts'
import type { Evidence, ReportedExchange, ReportedRun, RunTrace, ScenarioText } from './report-data.ts'

/** More of one run is left out: the evidence is included first, then the latest. */
export const maxEntries = 4_000
const maxTasks = 2_000

/** Reasons of rules that did not fire, for each request. */
const maxReasons = 10

/** The length of all headers and bodies of one run, as JSON. */
const maxExchangesLength = 2_000_000

/** Longer texts, such as prompts and files, are cut. */
const maxTextLength = 4_000
const maxFileLength = 200_000

export interface UnboundedTrace extends Omit<RunTrace, 'omitted' | 'exchanges'> {
  /** Reads the headers and bodies of a request, if they are stored. */
  readonly readExchange?: (number: number) => StoredExchange | undefined
}

/** A run before it is bounded. */
export interface CollectedRun {
  readonly verdict: Verdict
  /** Missing for a run that did not start. */
  readonly trace?: UnboundedTrace | undefined
  readonly scenario?: readonly ScenarioText[]
}

/** Reads what happened in a namespace. */
export function readTrace({ control }: { readonly control: Control }, namespace: string): UnboundedTrace {
  return {
    namespace,
    clock: control.clock.status(namespace),
    tasks: control.tasks.list(namespace),
    entries: control.journal.list(namespace).map((entry) => ({ ...entry, reasons: entry.reasons() })),
    readExchange: (number) => control.journal.findExchange(namespace, number),
  }
}

/** Copies a run for a report, as bounded plain JSON. */
export function toReportedRun({ verdict, trace, scenario = [] }: CollectedRun): ReportedRun {
  const { tasks: _inTrace, ...results } = verdict
  const evidence = listEvidence(verdict.results)
  return {
    verdict: results,
    evidence,
    scenario: scenario.map(({ file, text }) => ({ file, text: cut(text, maxFileLength) })),
    trace: trace ? boundTrace(trace, new Set(evidence.map(({ request }) => request))) : null,
  }
}

function boundTrace({ readExchange, ...trace }: UnboundedTrace, evidence: ReadonlySet<number>): RunTrace {
  const tasks = trace.tasks.slice(-maxTasks)
  const entries = selectEntries(trace.entries, evidence)
  const omitted = {
    tasks: trace.tasks.length - tasks.length,
    entries: trace.entries.length - entries.length,
  }
  return {
    ...copyBounded({ ...trace, tasks, entries: entries.map(withoutFarReasons), omitted }),
    exchanges: readExchange ? selectExchanges(entries, evidence, readExchange) : [],
  }
}

/** The evidence, then the latest, as far as there is room. */
function selectExchanges(
  entries: readonly ExplainedEntry[],
  evidence: ReadonlySet<number>,
  readExchange: NonNullable<UnboundedTrace['readExchange']>,
): ReportedExchange[] {
  const numbers = entries.map(({ number }) => number)
  const ranked = [
    ...numbers.filter((number) => evidence.has(number)),
    ...numbers.filter((number) => !evidence.has(number)).reverse(),
  ]
  const selected: ReportedExchange[] = []
  let lengthLeft = maxExchangesLength
  for (const number of ranked) {
    const exchange = readExchange(number)
    if (!exchange) continue
    lengthLeft -= JSON.stringify(exchange).length
    if (lengthLeft < 0) break
    selected.push({ number, ...exchange })
  }
  return selected
}

function listEvidence(results: readonly Result[]): Evidence[] {
  return results.flatMap(({ path, fails, expected, actual, requests, doubtful }) => {
    // What an invariant found is a sentence; other findings are often a number.
    const message = path.startsWith('always') ? actual : `expected ${expected}; ${actual}`
    return [
      ...(fails ? requests.map((request) => ({ request, path, message, fails })) : []),
      ...(doubtful
        ? doubtful.requests.map((request) => ({ request, path, message: doubtful.message, fails: false }))
        : []),
    ]
  })
}

function selectEntries(
  entries: readonly ExplainedEntry[],
  evidence: ReadonlySet<number>,
): readonly ExplainedEntry[] {
  if (entries.length <= maxEntries) return entries
  let free = maxEntries
  const selected = new Set(entries.filter(({ number }) => evidence.has(number) && free-- > 0))
  for (let index = entries.length - 1; selected.size < maxEntries; index--) selected.add(entries[index]!)
  return entries.filter((entry) => selected.has(entry))
}

function withoutFarReasons({ reasons, ...entry }: ExplainedEntry): ExplainedEntry {
  let free = maxReasons
  return { ...entry, reasons: reasons.filter(({ fired }) => fired || free-- > 0) }
}

/** A copy as JSON has it, with long texts cut. */
function copyBounded<T>(value: T): T {
  const replace = (_name: string, each: unknown): unknown =>
    typeof each === 'string' ? cut(each, maxTextLength) : each
  return JSON.parse(JSON.stringify(value, replace)) as T
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength)} … (${text.length - maxLength} more characters)`
}
