import type { Position } from '../../files/error.ts'
import type { ReportData } from './html/report-data.ts'

/** What people read: about the runs of a command, or about its exploration. */
export interface ReadReport {
  readonly suites: readonly Suite[]
  /** Sentences about all suites together. */
  readonly summary: readonly string[]
  readonly hints: readonly string[]
  /** The commands that reproduce the failed suites. */
  readonly reproduce: readonly string[]
}

/** What every writer reads. */
export interface Report extends ReadReport {
  /** The command, such as `greenroom run`. */
  readonly title: string
  readonly passed: boolean
  /** The content of the JSON report, besides its format and result. */
  readonly json: Readonly<Record<string, unknown>>
  /** The content of the HTML report. It is large, so only that report requests it. */
  readonly pageData: () => ReportData
}

/** One run, all runs of a file together, or one exploration. */
export interface Suite {
  readonly heading: string
  readonly passed: boolean
  /** Whether its heading says enough: it passed and is one of many runs. */
  readonly isBrief: boolean
  /** The result of each expectation, or the findings of an exploration. */
  readonly cases: readonly Case[]
  /** What JUnit counts, if it is not the cases: the schedules of an exploration. */
  readonly tests?: readonly Case[]
  /** What people read before the cases, and after them. */
  readonly before: readonly ReportBlock[]
  readonly after: readonly ReportBlock[]
  /** The scenario file. */
  readonly file?: string
  readonly properties: Readonly<Record<string, string | number>>
  /** Real time, in milliseconds. */
  readonly durationMs?: number | undefined
}

/** A result with its reasons. */
export interface Case {
  /** The group in which JUnit counts it. */
  readonly className: string
  readonly title: string
  /** In a word: `not-exercised`, `gave up`. */
  readonly verdict: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** What was found, one thought a line. One that passed has only doubts. */
  readonly lines: readonly string[]
  /** How to allow it. */
  readonly hint?: string | undefined
  /** Where it is written. */
  readonly at?: Position | undefined
  /** A command that shows it, and its scenario as YAML. */
  readonly command?: string | undefined
  readonly scenario?: string | undefined
}

/** A sentence, or a drawing of characters in lines. */
export type ReportBlock = string | { readonly title: string; readonly lines: readonly string[] }

/** Counts cases by their status, as JUnit does. */
export function countCases(
  cases: readonly Case[],
): Readonly<Record<'tests' | 'failures' | 'skipped', number>> {
  const count = (wanted: Case['status']): number => cases.filter(({ status }) => status === wanted).length
  return { tests: cases.length, failures: count('failed'), skipped: count('skipped') }
}

/** Replaces line breaks and control characters, which could move the cursor of a terminal or colour it. */
export function toOneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
}

/** Quotes a word for a shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
