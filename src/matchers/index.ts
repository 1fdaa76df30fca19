import type { TaskSummary } from '../control/tasks.ts'
import type { OperationPattern } from '../apis/index.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { isPromise } from '../engine/maybe-promise.ts'
import { reportFailure, shortenTestPath, type FailedTest } from '../embedded/reporters.ts'
import { failureReport } from '../judge/reports/terminal.ts'
import type { Verdict } from '../judge/verdict.ts'
import {
  listDownloads,
  listPolls,
  namedEntries,
  listSettled,
  listSubmissions,
  matchRecords,
  recordSchemas,
  toGatewayView,
  type GatewayView,
  type MatcherContext,
  type MatcherResult,
  type NamedRecord,
  type Settled,
  type Submission,
  type TimesOption,
} from './records.ts'

export type {
  GatewayView,
  MatcherContext,
  MatcherResult,
  Settled,
  Submission,
  TimesOption,
} from './records.ts'

/**
 * Some fields of a record. Each is a value, or a matcher such as `expect.stringContaining('kite')`.
 *
 * @example
 * const ofKites: Like<Submission> = { model: 'video-1', prompt: expect.stringMatching(/kites?$/) }
 * await client.submitVideo('three red kites')
 * expect(sim).toHaveSubmitted(ofKites)
 */
export type Like<T> = { readonly [Name in keyof T]?: unknown }

/**
 * The types of the matchers, for the module that declares your test runner's matchers.
 *
 * @example
 * const about: GreenroomMatchers = expect(sim)
 * about.toHaveRequested('models.list', undefined, { times: 0 })
 */
export interface GreenroomMatchers<R = void> {
  /**
   * Passes if a client has submitted a task with these fields.
   * @example
   * await client.submitVideo('a red kite')
   * expect(sim).toHaveSubmitted({ model: 'video-1', prompt: expect.stringContaining('kite') })
   */
  toHaveSubmitted(expected?: Like<Submission>, options?: TimesOption): R
  /**
   * Passes if a task with these fields has ended.
   * @example
   * await client.makeVideo('a red kite [[fail: content policy]]')
   * expect(sim).toHaveSettled({ status: 'FAILURE', reason: 'content policy' })
   */
  toHaveSettled(expected?: Like<Settled>, options?: TimesOption): R
  /**
   * Passes if a client has polled a task.
   * @example
   * const { id } = await client.makeVideo('a red kite')
   * expect(sim).toHavePolled({ task: id, reportedStatus: 'SUCCESS' }, { times: 1 })
   */
  toHavePolled(expected?: Like<JournalEntry>, options?: TimesOption): R
  /**
   * Passes if a client has downloaded a video or an image, complete and unaltered.
   * @example
   * const { id } = await client.makeVideo('a red kite')
   * expect(sim).toHaveDownloaded({ task: id })
   */
  toHaveDownloaded(expected?: Like<JournalEntry>, options?: TimesOption): R
  /**
   * Passes if a client has sent a request with these fields, whatever the response.
   * @example
   * sim.next('chat.*', { respond: { status: 503 } })
   * await client.ask('Why do kites fly?').catch(() => client.ask('Why do kites fly?'))
   * expect(sim).toHaveRequested('chat.complete', { status: 503 }, { times: { min: 1, max: 3 } })
   */
  toHaveRequested(operation: OperationPattern, expected?: Like<JournalEntry>, options?: TimesOption): R
  /**
   * Passes if the verdict passed: all expectations are met, and no invariant is violated.
   * @example
   * await client.makeVideo('a red kite')
   * expect(await sim.verdict()).toPass()
   */
  toPass(): R
}

/**
 * Matchers for `expect.extend` of Vitest and Jest. `greenroom/vitest` extends Vitest's `expect` by itself.
 *
 * They accept a simulator, one of its namespaces, or the gateway of a test; `toPass` accepts a verdict.
 *
 * @example
 * import { greenroomMatchers } from 'greenroom/matchers'
 * expect.extend(greenroomMatchers)
 */
export const greenroomMatchers = {
  toHaveSubmitted: createMatcher<Submission>('toHaveSubmitted', 'submissions', 'submission', listSubmissions),
  toHaveSettled: createMatcher<Settled>(
    'toHaveSettled',
    'ended tasks',
    'settled',
    listSettled,
    withOpenTasks,
  ),
  toHavePolled: createMatcher<JournalEntry>('toHavePolled', 'polls', 'entry', listPolls),
  toHaveDownloaded: createMatcher<JournalEntry>(
    'toHaveDownloaded',
    'complete downloads',
    'entry',
    listDownloads,
  ),

  toHaveRequested(
    this: MatcherContext,
    gateway: unknown,
    operation: OperationPattern,
    expected?: Like<JournalEntry>,
    options: TimesOption = {},
  ): MatcherResult {
    const matcher = {
      name: 'toHaveRequested',
      noun: `requests of ${operation}`,
      schema: recordSchemas.entry,
    }
    const view = toGatewayView(gateway)
    const requests = namedEntries(readRequests(view, operation))
    return withReport(this, view, matchRecords(this, matcher, requests, expected, options))
  },

  toPass(this: MatcherContext, value: unknown): MatcherResult {
    const verdict = toVerdict(value)
    const message = (): string =>
      verdict.passed
        ? 'expect(verdict).not.toPass()\n\nExpected a failure, but the verdict passed.'
        : `expect(verdict).toPass()\n\n${failureReport(verdict)}`
    return withReport(this, verdict, { pass: verdict.passed, message })
  },
}

/** Adds the name of the report to a failure, if reports were requested. */
function withReport(context: MatcherContext, subject: object, result: MatcherResult): MatcherResult {
  const message = (): string => {
    const text = result.message()
    const line = result.pass === (context.isNot ?? false) && reportFailure(subject, testOf(context), text)
    return line ? `${text}\n\n${line}` : text
  }
  return { ...result, message }
}

function testOf({ testPath = '', currentTestName = '' }: MatcherContext): FailedTest {
  const { env = {}, cwd } = globalThis.process ?? {}
  const runner = env['JEST_WORKER_ID'] ? 'npx jest' : env['VITEST'] ? 'npx vitest run' : undefined
  return { path: [shortenTestPath(testPath, cwd?.() ?? ''), ...currentTestName.split(' > ')], runner }
}

function createMatcher<T>(
  name: string,
  noun: string,
  kind: keyof typeof recordSchemas,
  list: (view: GatewayView) => NamedRecord[],
  explain: (view: GatewayView, result: MatcherResult) => MatcherResult = (_view, result) => result,
): (this: MatcherContext, gateway: unknown, expected?: Like<T>, options?: TimesOption) => MatcherResult {
  return function (gateway, expected, options = {}) {
    const view = toGatewayView(gateway)
    const matcher = { name, noun, schema: recordSchemas[kind], requestFields: view.requestFields?.() }
    const result = matchRecords(this, matcher, list(view), expected, options)
    return withReport(this, view, explain(view, result))
  }
}

/**
 * Reads the requests of an operation. The journal refuses an unknown one, for which `.not` would always pass.
 * @throws {TypeError} for an unknown operation.
 */
function readRequests(view: GatewayView, operation: string): JournalEntry[] {
  try {
    return view.journal({ operation })
  } catch (error) {
    throw new TypeError(`Failed to find requests: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws {TypeError} for anything but a verdict. */
function toVerdict(value: unknown): Verdict {
  const verdict = value as Partial<Verdict> | null | undefined
  if (typeof verdict?.passed === 'boolean' && Array.isArray(verdict.results)) return verdict as Verdict
  throw new TypeError(
    `Failed to read a verdict: expect() got ${isPromise(value) ? 'a promise' : typeof value}. ` +
      'Await it: expect(await gateway.verdict()).toPass()',
  )
}

const maxNamed = 5

/** Adds the open tasks to the message of a failure, and how to advance the clock to their end. */
function withOpenTasks(view: GatewayView, result: MatcherResult): MatcherResult {
  if (result.pass) return result
  const message = (): string => [result.message(), ...describeOpenTasks(view)].join('\n')
  return { ...result, message }
}

function describeOpenTasks(view: GatewayView): string[] {
  const open = view.tasks().filter(({ finishedAt }) => finishedAt === 0)
  if (open.length === 0) return []
  const named = open.slice(0, maxNamed).map((task) => {
    const end = endOf(task)
    return `${task.id} (${task.status}, ${end === undefined ? 'without an end' : `then ${end}`})`
  })
  const ending = open.find((task) => endOf(task) !== undefined)
  const move = ending
    ? `await gateway.clock.advanceUntil('${ending.id}', '${endOf(ending)}')`
    : "await gateway.clock.advance('10m')"
  return [
    '',
    `Still open: ${named.join(', ')}${open.length > maxNamed ? ', …' : ''}`,
    `Let the client poll until the end, or move the clock: ${move}`,
  ]
}

/** The status with which a task will end, if its timeline continues. */
function endOf({ status, timeline }: TaskSummary): string | undefined {
  const last = timeline.at(-1)?.status
  return last === status ? undefined : last
}
