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
  /** What becomes of tasks. */
  tasks?: readonly TaskExpectation[]
  /** What is asked, and how it is answered. */
  requests?: readonly RequestExpectation[]
  /** What clients have downloaded in the end. */
  artifacts?: readonly ArtifactExpectation[]
  /** The operations of every task in their order, as in `submit poll+ content`; or different ones by channel. */
  sequence?: string | readonly SequenceExpectation[]
  /** How often rules and throttles fired. Those that are not listed must fire at least once, unless `optional`. */
  rules?: Readonly<Record<string, RuleExpectation>>
  /** When clients must have come to rest. */
  quiet?: readonly QuietExpectation[]
  /** What a good client never breaks, watched on every request. */
  always?: readonly (InvariantName | AlwaysExpectation)[]
  /** What must hold in at least one run of a sweep over seeds: proof that it reaches the interesting case. */
  sometimes?: readonly SometimesExpectation[]
  /** How long after the first request the last answer may end. */
  within?: string
  /** How the command of `greenroom run` ends, what it prints and which file it writes. */
  command?: CommandExpectation
  /** What is let pass that fails otherwise. */
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

/** What is let pass that fails otherwise. */
export interface Allowances {
  /** Requests that no operation answers. */
  unmatched?: boolean
  /** Rules that never fired. */
  unusedRules?: boolean
  /** Expectations that nothing put to the test. */
  notExercised?: boolean
  /** In a strict run: invariants that can't be judged, such as waits that nobody sees. */
  notApplicable?: boolean
  /** In a strict run: faults that were only approximated. */
  approximated?: boolean
}

/** Tasks of which kind. */
export const channels = ['video', 'drawing'] as const
export type Channel = (typeof channels)[number]

/** Exactly so many, or a range with its ends included. */
export type Count = number | { min?: number; max?: number }

/** A stretch of virtual time with its ends included. */
export interface DurationRange {
  min?: string
  max?: string
}

/**
 * Tasks: which ones (`channel`, `op`, `model`, `nth`), and what must be true of them (`status`, `reason`, `elapsed`).
 * Without `count` at least one of them must be like that; with `each`, all of them; with `nth`, that one.
 */
export interface TaskExpectation {
  channel?: Channel
  /** The operation that made it, or several by `*`. */
  op?: string | readonly string[]
  /** The requested model; `*` stands for any run of characters. */
  model?: string
  /** The so-manieth task of its channel in the order of submission, from 1. */
  nth?: number
  /** The state in which it is at the end of the run. */
  status?: string | readonly string[]
  /** Why it failed. */
  reason?: ValueMatch
  /** From its submission to its end. */
  elapsed?: DurationRange
  count?: Count
  each?: boolean
}

/** A status, or a class of them. */
export type StatusMatch = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/**
 * Requests: which ones (`op`, `channel`, `taskNth`, `model`), and what must be true of them (the rest). Without
 * `count` at least one must be like that; with `each`, all of them; with `nth`, that one.
 */
export interface RequestExpectation {
  /** An operation, or several by `*`: `video.*`. */
  op: string | readonly string[]
  channel?: Channel
  /** Only those that concern the so-manieth task of its channel in the order of submission, from 1. */
  taskNth?: number
  model?: string
  /** The so-manieth of them, from 1. */
  nth?: number
  status?: StatusMatch | readonly StatusMatch[]
  outcome?: Exclude<Outcome, 'open'>
  /** What arrived of the bytes of the answer. */
  content?: NonNullable<JournalEntry['content']>
  stream?: { chunks?: Count; ended?: NonNullable<JournalEntry['stream']>['ended'] }
  /** From admission to the first byte of the answer. */
  ttfb?: DurationRange
  /** Fields of the body that the client sent, by their paths, such as `messages[0].content`. */
  body?: Readonly<Record<string, ValueMatch>>
  /** Headers that the client sent, by their names, in any case. */
  headers?: Readonly<Record<string, ValueMatch>>
  /** Parameters of the query that the client sent. */
  query?: Readonly<Record<string, ValueMatch>>
  /** The rule or limit that fired. */
  rule?: string
  /** How the answer was broken. */
  fault?: FaultType
  count?: Count
  each?: boolean
  /** The states that each of the tasks must have been shown by these requests, in this order; others may lie between. */
  saw?: readonly string[]
}

/** What the client has of the bytes of each task that succeeded. */
export interface ArtifactExpectation {
  channel: Channel
  taskNth?: number
  /** `intact`: whole and unaltered in the end; `any`: asked for at least once with success; `never`: not at all. */
  downloaded: 'intact' | 'any' | 'never'
}

/** The operations of each task, in their order. */
export interface SequenceExpectation {
  channel?: Channel
  taskNth?: number
  /**
   * Words with `+`, `*`, `?`, `|` and brackets: `submit poll+ (content | image)?`. A word is the last part of an
   * operation's name, or `submit`, `poll` or `download` for all that do so; `any` stands for each.
   */
  is: string
}

export interface RuleExpectation {
  fired: Count
}

/** No such request for a while: the client has given up, or has what it wanted. */
export interface QuietExpectation {
  op: string | readonly string[]
  channel?: Channel
  taskNth?: number
  /** Since the task's submission; for operations without a task, since the first request. */
  after: string
  for: string
}

/** An invariant with settings of its own. */
export interface AlwaysExpectation {
  name: InvariantName
  /** For `poll-interval`: the shortest and the longest wait between two polls of a task; `5s` and `10s` by default. */
  min?: string
  max?: string
  /** Whether it may go untested. */
  optional?: boolean
}

/** One thing that one run of a sweep must show. */
export type SometimesExpectation =
  { task: TaskExpectation } | { request: RequestExpectation } | { rule: string; fired?: Count }
