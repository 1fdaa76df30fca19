import { rulePrefix } from '../../apis/define/exploration.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { describeCrash, type PastCrash } from '../../gateway/crash-plan.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientEnd } from '../invariants/invariant.ts'
import type { UnboundedTrace } from '../reports/html/html.ts'
import type { Verdict } from '../verdict.ts'

/** One run of the client against a simulator that plays a scenario. */
export interface ClientRun {
  /**
   * `succeeded`: it returned, or exited with 0. `failed`: it threw, exited with another code, or returned a value that
   * reports a failure. `hung`: nothing can wake it any more. `endless`: it exceeded every bound.
   */
  readonly ended: 'succeeded' | 'failed' | 'hung' | 'endless'
  /** Why it did not succeed, in one line. */
  readonly reason: string
  /** Its report: its error, or everything that it printed. */
  readonly output: string
  /** Whether it failed because of its own mistake, such as a TypeError. */
  readonly hasCrashed: boolean
  /** Its return value or output, normalized by {@link normalizeResult}. Empty unless it succeeded. */
  readonly result: string
  /** All lines that a command printed, normalized like the result, which is the last of them. */
  readonly lines?: readonly string[]
  readonly exchanges: readonly JournalEntry[]
  /** The operations of its simulator. */
  readonly operations: OperationTable
  /** Whether its time-outs pass in real time, and responses in virtual time, so that no slow response can end one. */
  readonly hasRealTimeouts?: boolean
  /** Whether it may have a deadline over many requests that passes in real time, so that a loop may have an end that no run reaches. */
  readonly mayEndLater?: boolean
  /** Whether it was stopped while a process waited for what takes no part in the clock, so that no time-out could pass. */
  readonly isOutside?: boolean
  /** Whether it passed in real time, so that another one may differ from it. */
  readonly isRealTime?: boolean
  /** The crashes of its process. */
  readonly crashes?: readonly PastCrash[]
  /** The verdict by the scenario's `expect`. */
  readonly verdict: Verdict
  /** The exchanges with headers and bodies, if a repetition can record them. */
  readonly trace?: UnboundedTrace
}

/** How the client ended, for a verdict; undefined if it was stopped. */
export function endOf(ended: ClientRun['ended'] | undefined): ClientEnd | undefined {
  return ended === 'succeeded' || ended === 'failed' ? ended : undefined
}

/** Runs the client once. Several calls may overlap. */
export type RunClient = (scenario: Scenario, options: RunOptions) => Promise<ClientRun>

export interface RunOptions {
  /** Ends the run at once. Its result is ignored then. */
  readonly signal: AbortSignal
  /**
   * Call it when only a deadline of the client, in real time, can end its wait.
   * @param patienceMs how long the run waits for that.
   */
  readonly onIdle: (patienceMs: number) => void
  /** Virtual time after which the run counts as endless. */
  readonly maxVirtualMs: number
  /** Whether the run repeats a mistake, so that its exchanges are recorded. */
  readonly isRepetition?: boolean
  /** Whether the client hung in this run before, so that less patience suffices. */
  readonly hasHung?: boolean
}

/** Requests after which a run counts as endless. */
export const maxRequests = 400

const minBoundMs = 3 * 3_600_000

/** More polls than this, each as late as the latest one of the baseline run, are an endless loop. */
const maxWaits = 100

/** The virtual time that a baseline run may take. */
export const maxBaselineMs = 30 * 24 * 3_600_000

/** The virtual time after which a run counts as endless. A client that sleeps for hours between polls gets days. */
export function findTimeBound({ exchanges }: Pick<ClientRun, 'exchanges'>): number {
  const waits = exchanges.slice(1).map(({ at }, index) => at - exchanges[index]!.at)
  return Math.max(minBoundMs, maxWaits * Math.max(0, ...waits))
}

const maxTraceLines = 40

/** The requests of a run on the time axis, one line each: `+20s #5 video.poll 503 (fault-1)`. Crashes have lines of their own. */
export function formatTrace({ exchanges, crashes = [] }: ClientRun): string {
  const start = exchanges[0]?.at ?? crashes[0]?.at ?? 0
  const at = (instant: number): string => `+${formatDuration(Math.max(0, instant - start))}`.padEnd(9)
  const crashBefore = (first: number, last: number): string[] =>
    crashes
      .filter(({ before }) => before >= first && before <= last)
      .map((crash) => `${at(crash.at)} the client crashes at ${describeCrash(crash)}`)
  const lines = exchanges
    .slice(0, maxTraceLines)
    .flatMap(({ at: instant, number, operation, path, status, rules, fault }) => {
      const injected = rules.filter((rule) => rule.startsWith(rulePrefix))
      const why = injected.length === 0 ? '' : ` (${fault ?? 'injected'})`
      const line = `${at(instant)} #${number} ${operation ?? path} ${status || 'no response'}${why}`
      return [...crashBefore(number, number), line]
    })
  const more = exchanges.length - Math.min(exchanges.length, maxTraceLines)
  const late = crashBefore((exchanges.at(-1)?.number ?? 0) + 1, Infinity)
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), ...late].join('\n')
}

/**
 * Converts a result to a text that is the same in each run. Replaces ids of tasks by `task`, instants by `time`, and bytes
 * by their hash.
 * @param hash a hash function, such as SHA-256 in hexadecimal.
 */
export function normalizeResult(
  value: unknown,
  taskIds: readonly string[],
  hash: (bytes: Uint8Array) => string,
): string {
  const text =
    typeof value === 'string'
      ? value
      : (JSON.stringify(value, (_, part: unknown) => replaceBytes(part, hash)) ?? 'undefined')
  const masked = maskInstants(text).replace(responseId, 'id')
  return taskIds.reduce((rest, id) => rest.replaceAll(id, 'task'), masked)
}

/** Replaces instants, which differ in each run in real time. */
export const maskInstants = (text: string): string => text.replace(httpDate, 'time').replace(instant, 'time')

const httpDate = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20\d\d [\d:]{8} GMT\b/g

/** An ISO date, or seconds or milliseconds since 1970 in this century. */
const instant = /\b(?:20\d\d-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|1\d{9}(?:\d{3})?)\b/g

/** The id of a response, such as `chatcmpl-…`. */
const responseId = /\b[a-z]{2,8}[-_][A-Za-z0-9]{16,}\b/g

function replaceBytes(part: unknown, hash: (bytes: Uint8Array) => string): unknown {
  if (part instanceof Uint8Array) return `bytes ${hash(part)}`
  if (part instanceof ArrayBuffer) return `bytes ${hash(new Uint8Array(part))}`
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  // JSON.stringify calls toJSON of a Buffer before this function gets it.
  const { type, data } = part as { type?: unknown; data?: unknown }
  if (type === 'Buffer' && Array.isArray(data)) return `bytes ${hash(Uint8Array.from(data as number[]))}`
  return part
}
