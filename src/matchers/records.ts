import * as z from 'zod/mini'
import { explainedSchema } from '../control/entry-schema.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { TaskSummary } from '../control/tasks.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { firstMistake } from '../scenario/schema/mistakes.ts'
import { findUnknownKey } from '../scenario/schema/schema-walk.ts'
import { count } from '../scenario/vocabulary/expect-values.ts'
import type { Count } from '../scenario/vocabulary/types.ts'
import { isDownload, isPoll } from '../judge/exchanges.ts'
import { fitsCount, formatCount, formatTimes } from '../judge/ranges.ts'
import {
  alignFields,
  containsFields,
  findUndefined,
  getField,
  withoutMatchers,
  type IsEqual,
} from './fields.ts'

/**
 * The subject of matchers: a simulator, one of its namespaces, or the gateway of a test.
 *
 * @example
 * const alice: GatewayView = sim.namespace('alice')
 * await client.submitVideo('a red kite')
 * expect(alice).not.toHaveSubmitted()
 */
export interface GatewayView {
  tasks(): TaskSummary[]
  /** @throws {ControlError} for a filter with an operation that does not exist. */
  journal(filter?: { readonly operation?: string }): JournalEntry[]
  /** Without it, only fields of present tasks are known. */
  requestFields?(): readonly string[]
}

/**
 * A task as it was submitted.
 *
 * @example
 * const short: Like<Submission> = { operation: 'video.submit', request: { seconds: 1 } }
 * await client.submitVideo('a red kite')
 * expect(sim).toHaveSubmitted(short, { times: 1 })
 */
export interface Submission {
  readonly id: string
  readonly operation: string
  readonly model: string
  readonly prompt: string
  /** The parsed request: lengths, sizes, seeds, images as digests. */
  readonly request: TaskSummary['request']
}

/**
 * A task that has ended.
 *
 * @example
 * const done: Like<Settled> = { status: 'SUCCESS', reason: '', elapsedMs: expect.any(Number) }
 * await client.makeVideo('a red kite')
 * expect(sim).toHaveSettled(done)
 */
export interface Settled extends Submission {
  readonly status: string
  /** Why the task failed; empty otherwise. */
  readonly reason: string
  /** The time from its submission to its end, in milliseconds on its clock. */
  readonly elapsedMs: number
}

/**
 * The parts of the matcher context of Vitest, Jest and Bun that the matchers use.
 *
 * @example
 * function toHaveChatted(this: MatcherContext, gateway: unknown) {
 *   return greenroomMatchers.toHaveRequested.call(this, gateway, 'chat.complete')
 * }
 * expect.extend({ toHaveChatted })
 */
export interface MatcherContext {
  readonly isNot?: boolean
  readonly currentTestName?: string
  readonly testPath?: string
  equals(one: unknown, other: unknown): boolean
  readonly utils: {
    /** Missing in Bun. */
    diff?(expected: unknown, received: unknown): string | null | undefined
    printExpected(value: unknown): string
    printReceived(value: unknown): string
  }
}

/**
 * The result of a matcher.
 *
 * @example
 * const toBeIdle = (gateway: GatewayView): MatcherResult => {
 *   const { length } = gateway.journal()
 *   return { pass: length === 0, message: () => `expected no requests, received ${length}` }
 * }
 * toBeIdle(sim).pass // → true
 */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * The expected number of matches. Default: at least one.
 *
 * @example
 * const twiceAtLeast: TimesOption = { times: { min: 2 } }
 * await client.makeVideo('a red kite')
 * expect(sim).toHavePolled({}, twiceAtLeast)
 */
export interface TimesOption {
  readonly times?: Count
}

const submissionFields = {
  id: z.string(),
  operation: z.string(),
  model: z.string(),
  prompt: z.string(),
  request: z.unknown(),
} satisfies Record<keyof Submission, z.ZodMiniType>
const settledFields = {
  ...submissionFields,
  status: z.string(),
  reason: z.string(),
  elapsedMs: z.number(),
} satisfies Record<keyof Settled, z.ZodMiniType>

/** The fields of each kind of record. */
export const recordSchemas = {
  submission: z.object(submissionFields),
  settled: z.object(settledFields),
  entry: explainedSchema(),
}

/** A task or request, with its name in messages. */
export interface NamedRecord {
  readonly name: string
  readonly value: object
}

/** @throws {TypeError} for anything but a simulator or a namespace. */
export function toGatewayView(value: unknown): GatewayView {
  const view = value as Partial<GatewayView> | null | undefined
  if (typeof view?.tasks === 'function' && typeof view.journal === 'function') return view as GatewayView
  throw new TypeError(
    `Failed to read the requests of a client: expect() got ${typeof value}. Pass a simulator, one of its namespaces, ` +
      'or the gateway of the test.',
  )
}

export function listSubmissions(view: GatewayView): NamedRecord[] {
  return view.tasks().map((task) => ({ name: task.id, value: toSubmission(task) }))
}

export function listSettled(view: GatewayView): NamedRecord[] {
  const ended = view.tasks().filter(({ finishedAt }) => finishedAt > 0)
  return ended.map((task) => {
    const { id, status, reason, submittedAt, finishedAt } = task
    const elapsedMs = finishedAt - submittedAt
    return { name: id, value: { ...toSubmission(task), status, reason, elapsedMs } satisfies Settled }
  })
}

export function listPolls(view: GatewayView): NamedRecord[] {
  return listRequests(view, isPoll)
}

/** Complete and unaltered downloads, including those of ranges. */
export function listDownloads(view: GatewayView): NamedRecord[] {
  return listRequests(
    view,
    (entry) =>
      isDownload(entry) && entry.method === 'GET' && entry.status < 300 && entry.content === 'complete',
  )
}

function listRequests(view: GatewayView, isIncluded: (entry: JournalEntry) => boolean): NamedRecord[] {
  return namedEntries(view.journal().filter(isIncluded))
}

/** Entries with the names that messages give them. */
export function namedEntries(entries: readonly JournalEntry[]): NamedRecord[] {
  return entries.map((entry) => ({
    name: `#${entry.number} ${entry.operation ?? entry.path}`,
    value: entry,
  }))
}

function toSubmission({ id, operation, request }: TaskSummary): Submission {
  const { model = '', prompt = '' } = request
  return { id, operation, model: String(model), prompt: String(prompt), request }
}

/**
 * Counts records that contain the expected fields, also nested ones.
 * @param matcher the name of the matcher, and what it counts.
 * @throws {TypeError} for an unknown field or option, and an invalid `times`.
 */
export function matchRecords(
  context: MatcherContext,
  matcher: { name: string } & Checked,
  records: readonly NamedRecord[],
  expected: object | undefined,
  options: TimesOption,
): MatcherResult {
  const { noun } = matcher
  const mistake = firstMistake(optionsSchema, options)
  if (mistake !== undefined)
    throw new TypeError(`Failed to count ${noun}: ${mistake} Use { times: 2 }, or { times: { min, max } }.`)
  checkFields(matcher, records, expected)
  const { times } = options
  // In Bun these functions need their object.
  const { utils } = context
  const isEqual: IsEqual = (received, wanted) =>
    containsFields(received, wanted, (one, other) => context.equals(one, other))
  const matching = records.filter(({ value }) => expected === undefined || isEqual(value, expected))
  const message = (): string => {
    const like = expected === undefined ? '' : ` like ${utils.printExpected(expected)}`
    const count = times === undefined ? 'at least once' : formatExpectedTimes(times)
    const lines = [
      `expect(gateway)${context.isNot ? '.not' : ''}.${matcher.name}()`,
      '',
      `Expected ${context.isNot ? 'not ' : ''}${count}: ${noun}${like}`,
      `Received ${formatTimes(matching.length)}, of ${records.length} ${noun} in total${listNames(matching)}`,
    ]
    const closest =
      matching.length > 0 || expected === undefined ? undefined : findClosest(records, expected, isEqual)
    if (closest) {
      const [wanted, received] = alignFields(expected, closest.value, isEqual)
      const both = `Expected: ${utils.printExpected(wanted)}\nReceived: ${utils.printReceived(received)}`
      lines.push('', `The closest match is ${closest.name}:`, '', utils.diff?.(wanted, received) ?? both)
    }
    return lines.join('\n')
  }
  const pass = times === undefined ? matching.length > 0 : fitsCount(times, matching.length)
  return { pass, message }
}

/** What a matcher counts. */
interface Checked {
  /** A plural noun for the records. */
  readonly noun: string
  readonly schema: z.ZodMiniObject
  /** The fields that their requests may have. */
  readonly requestFields?: readonly string[] | undefined
}

const optionsSchema = z.strictObject({ times: z.optional(count) })

/**
 * Checks the fields, because `.not` would always pass for a misspelled one.
 * @throws {TypeError} for a field that such records can't have, and for one that is undefined.
 */
function checkFields(
  { noun, schema, requestFields = [] }: Checked,
  records: readonly NamedRecord[],
  expected: unknown,
): void {
  if (expected === undefined) return
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) {
    const value = JSON.stringify(expected)
    throw new TypeError(
      `Failed to match ${noun}: ${value} is not a set of fields. Use one such as { ${Object.keys(schema.shape)[0]}: … }.`,
    )
  }
  const path = findUndefined(expected)
  if (path !== undefined) {
    throw new TypeError(
      `Failed to match ${noun}: "${path}" is undefined. Check its value for a misspelled name, or remove the field.`,
    )
  }
  const whole =
    'request' in schema.shape ? z.extend(schema, { request: requestSchema(requestFields, records) }) : schema
  const unknown = findUnknownKey(whole, withoutMatchers(expected))
  if (!unknown) return
  const { key, known } = unknown
  throw new TypeError(
    `Failed to match ${noun}: unknown field "${key}".${didYouMean(key, known)} Known: ${known.join(', ')}.`,
  )
}

/** The fields of parsed requests, and additional ones in these tasks, which may come from a snapshot. */
function requestSchema(fields: readonly string[], records: readonly NamedRecord[]): z.ZodMiniObject {
  const present = records.flatMap(({ value }) => Object.keys((value as Submission).request))
  const names = new Set([...fields, ...present])
  return z.object(Object.fromEntries([...names].map((name) => [name, z.unknown()])))
}

/** The record with the most matching fields. Of several, the latest. */
function findClosest(
  records: readonly NamedRecord[],
  wanted: object,
  isEqual: IsEqual,
): NamedRecord | undefined {
  const scored = records.map((record) => ({
    record,
    score: Object.entries(wanted).filter(([key, value]) => isEqual(getField(record.value, key), value))
      .length,
  }))
  return scored.toSorted((one, other) => one.score - other.score).at(-1)?.record
}

function formatExpectedTimes(times: Count): string {
  return typeof times === 'number' ? formatTimes(times) : `${formatCount(times)} times`
}

function listNames(records: readonly NamedRecord[]): string {
  if (records.length === 0) return ''
  const names = records.slice(0, 5).map(({ name }) => name)
  return `: ${names.join(', ')}${records.length > 5 ? ', …' : ''}`
}
