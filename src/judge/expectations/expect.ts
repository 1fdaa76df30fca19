import type { FaultType } from '../../scenario/faults/index.ts'
import type { JournalEntry, Outcome } from '../../gateway/journal.ts'
import type { ValueMatch } from '../../scenario/rules/rule.ts'
import type { InvariantName } from '../../scenario/invariant-names.ts'

/**
 * What must be true of a run for it to pass. Durations are virtual time, written as in `30s`.
 *
 * @example
 * const expected: Expect = {
 *   tasks: [{ channel: 'video', count: 1, status: 'SUCCESS' }],
 *   requests: [{ op: 'video.poll', count: { min: 5 }, saw: ['queued', 'IN_PROGRESS', 'SUCCESS'] }],
 *   artifacts: [{ channel: 'video', downloaded: 'intact' }],
 *   sequence: 'submit poll+ content',
 *   always: ['auth-on-every-call', 'no-poll-after-terminal'],
 * }
 */
export interface Expect {
  /** The states of tasks at the end of the run. */
  tasks?: readonly TaskExpectation[]
  /** Requests and their responses. */
  requests?: readonly RequestExpectation[]
  /** What clients have downloaded by the end of the run. */
  artifacts?: readonly ArtifactExpectation[]
  /** The operations of every task, in order: `submit poll+ content`; or a list of sequences by channel. */
  sequence?: string | readonly SequenceExpectation[]
  /** How often rules and throttles fired. Those that are not listed must fire at least once, unless `optional`. */
  rules?: Readonly<Record<string, RuleExpectation>>
  /** Periods without requests. */
  quiet?: readonly QuietExpectation[]
  /** Invariants, which are checked on every request. */
  always?: readonly (InvariantName | AlwaysExpectation)[]
  /** What at least one of several seeds must show: proof that they reach the interesting case. */
  sometimes?: readonly SometimesExpectation[]
  /** The maximum time from the first request to the last response. */
  within?: string
  /** The exit code of the command of `greenroom run`, what it prints and which file it writes. */
  command?: CommandExpectation
  /** What does not fail the run. */
  allow?: Allowances
}

/** The end of the command after `--` in `greenroom run`. Without `exit` it must exit with 0. */
export interface CommandExpectation {
  /** The exit code. `nonzero` is any code except 0, and no signal. */
  exit?: number | 'nonzero'
  /** The text that the command writes to standard output. With both keys, both must be true. */
  stdout?: {
    contains?: string
    /** A regular expression that is found in one of the lines, without look-around and back-references. */
    matches?: string
  }
  /** A file that the command must write during the run. */
  file?: {
    /** Relative to the working folder, or else to the folder of the scenario. */
    path: string
    /** The SHA-256 of its bytes, in hexadecimal. */
    sha256?: string
    /** Its text. */
    equals?: string
  }
}

/** What does not fail the run, though it does by default. */
export interface Allowances {
  /** Requests that match no operation. */
  unmatched?: boolean
  /** Rules that never fired. */
  unusedRules?: boolean
  /** Expectations that no request, task or fault exercised. */
  notExercised?: boolean
  /** In a strict run: invariants that can't be judged, such as waits that the clock does not show. */
  notApplicable?: boolean
  /** In a strict run: faults that were only approximated. */
  approximated?: boolean
}

/** Kinds of tasks. */
export const channels = ['video', 'drawing'] as const
export type Channel = (typeof channels)[number]

/** An exact number, or an inclusive range. */
export type Count = number | { min?: number; max?: number }

/** An inclusive range of virtual time. */
export interface DurationRange {
  min?: string
  max?: string
}

/**
 * `channel`, `op`, `model` and `nth` select tasks; `status`, `reason` and `elapsed` must match. At least one selected task
 * must match; with `count`, that number; with `each`, all; with `nth`, that one.
 */
export interface TaskExpectation {
  channel?: Channel
  /** The operation that created the task; `*` matches several. */
  op?: string | readonly string[]
  /** The requested model; `*` matches any characters. */
  model?: string
  /** The number of the task in its channel, in the order of submission, from 1. */
  nth?: number
  /** The status at the end of the run. */
  status?: string | readonly string[]
  /** Why the task failed. */
  reason?: ValueMatch
  /** From its submission to its end. */
  elapsed?: DurationRange
  count?: Count
  each?: boolean
}

/** A status or a class of statuses. */
export type StatusMatch = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/**
 * `op`, `channel`, `taskNth` and `model` select requests; all other properties must match. At least one selected request
 * must match; with `count`, that number; with `each`, all; with `nth`, that one.
 */
export interface RequestExpectation {
  /** An operation; `*` matches several: `video.*`. */
  op: string | readonly string[]
  channel?: Channel
  /** Only requests for this task: its number in its channel, in the order of submission, from 1. */
  taskNth?: number
  model?: string
  /** The number of the request among the selected ones, from 1. */
  nth?: number
  status?: StatusMatch | readonly StatusMatch[]
  outcome?: Exclude<Outcome, 'open'>
  /** Whether the body of the response arrived complete. */
  content?: NonNullable<JournalEntry['content']>
  stream?: { chunks?: Count; ended?: NonNullable<JournalEntry['stream']>['ended'] }
  /** From admission to the first byte of the response. */
  ttfb?: DurationRange
  /** Fields of the request body by path, such as `messages[0].content`. */
  body?: Readonly<Record<string, ValueMatch>>
  /** Request headers by name, case-insensitive. */
  headers?: Readonly<Record<string, ValueMatch>>
  /** Query parameters. */
  query?: Readonly<Record<string, ValueMatch>>
  /** The rule or throttle that fired. */
  rule?: string
  /** The injected fault. */
  fault?: FaultType
  count?: Count
  each?: boolean
  /** States that the polls of each task must have returned, in this order; others may occur in between. */
  saw?: readonly string[]
}

/** What the client has downloaded of each task that succeeded. */
export interface ArtifactExpectation {
  channel: Channel
  taskNth?: number
  /** `intact`: complete and unaltered by the end; `any`: at least one successful download; `never`: none. */
  downloaded: 'intact' | 'any' | 'never'
}

/** The operations of each task, in order. */
export interface SequenceExpectation {
  channel?: Channel
  taskNth?: number
  /**
   * Words with `+`, `*`, `?`, `|` and parentheses: `submit poll+ (content | image)?`. A word is the last part of an
   * operation's name, or `submit`, `poll` or `download` for all operations of that kind; `any` matches every operation.
   */
  is: string
}

export interface RuleExpectation {
  fired: Count
}

/** A period without such requests: the client has given up or finished. */
export interface QuietExpectation {
  op: string | readonly string[]
  channel?: Channel
  taskNth?: number
  /** The start, since the submission of the task; for operations without a task, since the first request. */
  after: string
  for: string
}

/** An invariant with settings. */
export interface AlwaysExpectation {
  name: InvariantName
  /** For `poll-interval`: bounds of the wait between two polls of a task. Default `5s` and `10s`. */
  min?: string
  max?: string
  /** Whether it may remain unexercised. */
  optional?: boolean
}

/** What one of several seeds must show. */
export type SometimesExpectation =
  { task: TaskExpectation } | { request: RequestExpectation } | { rule: string; fired?: Count }
