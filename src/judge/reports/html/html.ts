import { version } from '../../../version.ts'
import type {
  ReportData,
  ReportedRun,
  Evidence,
  ReportedExchange,
  RunTrace,
  ScenarioText,
} from './report-data.ts'
import type { ExplainedEntry } from '../../../control/entry-schema.ts'
import type { Control } from '../../../control/control.ts'
import type { StoredExchange } from '../../../gateway/messages.ts'
import type { Result, Verdict } from '../../verdict.ts'

/** The length of all traces of one file, as JSON. */
const maxTraceLength = 16_000_000

/** More runs that passed are only counted. */
const maxPassedRuns = 200

/** The place for the data in the page that the build makes. */
export const dataElement = ['<script id="greenroom-data" type="application/json">', '</script>'] as const

/**
 * A report as one HTML file that needs no network: the time axis and the journal of each run, and its verdict.
 *
 * @param page the page that the build makes, with an empty element for the data.
 * @throws {Error} for another page.
 */
export function htmlReport(page: string, data: ReportData): string {
  const [start, end] = dataElement
  const [before, after, ...more] = page.split(start + end)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('Failed to write an HTML report: its page has no place for data. Build greenroom again.')
  return before + start + toInlineJson(data) + end + after
}

/** The runs of one report, within a bounded size: traces of runs that passed are dropped first, the latest first. */
export class RunCollection {
  #runs: ReportedRun[] = []
  #passed = 0
  #omittedRuns = 0
  #traceLength = 0

  add(run: CollectedRun): void {
    if (run.verdict.passed && ++this.#passed > maxPassedRuns) {
      this.#omittedRuns++
      return
    }
    const reported = toReportedRun(run)
    this.#runs.push(reported)
    this.#traceLength += lengthOf(reported)
    while (this.#traceLength > maxTraceLength) this.#dropTrace()
  }

  toData(title: string): ReportData {
    return { format: 1, greenroom: version, title, runs: this.#runs, omittedRuns: this.#omittedRuns }
  }

  #dropTrace(): void {
    const traced = this.#runs.filter(({ trace }) => trace !== null)
    const dropped = traced.findLast(({ verdict }) => verdict.passed) ?? traced.at(-1)!
    this.#traceLength -= lengthOf(dropped)
    this.#runs = this.#runs.map((run) => (run === dropped ? { ...run, trace: null } : run))
  }
}

const lengthOf = ({ trace }: ReportedRun): number => (trace === null ? 0 : JSON.stringify(trace).length)

/** JSON for a script element of HTML: no character of it can end the element or begin a comment. */
export function toInlineJson(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The maximum number of requests of one run: those that results name come first, then the latest. */
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
    // The actual value of an invariant is a sentence. Other checks often have a number.
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
