import { didYouMean } from '../engine/did-you-mean.ts'
import { operations, type OperationPattern } from '../engine/operations/operations.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { isAmong } from '../judge/operations.ts'
import { failureReport } from '../judge/reports/failure.ts'
import type { Verdict } from '../judge/verdict.ts'
import { found, type HowOften, type Matched, type MatcherContext } from './found.ts'
import {
  askedOf,
  downloadsOf,
  pollsOf,
  requestsOf,
  settledOf,
  submissionsOf,
  type Settled,
  type Submission,
} from './subject.ts'
import { isPromise } from '../engine/maybe-promise.ts'

export type { HowOften, Matched, MatcherContext } from './found.ts'
export type { Asked, Settled, Submission } from './subject.ts'

/**
 * Some of its fields, each as it must be, or by a matcher such as `expect.stringContaining('kite')`.
 *
 * @example
 * const ofKites: Like<Submission> = { model: 'video-1', prompt: expect.stringMatching(/kites?$/) }
 * await client.submitVideo('three red kites')
 * expect(sim).toHaveSubmitted(ofKites)
 */
export type Like<T> = { readonly [Name in keyof T]?: unknown }

/**
 * What `expect` learns, as types: for the module that declares your test runner's matchers.
 *
 * @example
 * const about: GreenroomMatchers = expect(sim)
 * about.toHaveRequested('models.list', undefined, { times: 0 })
 */
export interface GreenroomMatchers<R = void> {
  /**
   * A client has submitted a task like this.
   * @example
   * await client.submitVideo('a red kite')
   * expect(sim).toHaveSubmitted({ model: 'video-1', prompt: expect.stringContaining('kite') })
   */
  toHaveSubmitted(expected?: Like<Submission>, howOften?: HowOften): R
  /**
   * A task like this has ended.
   * @example
   * await client.makeVideo('a red kite [[fail: content policy]]')
   * expect(sim).toHaveSettled({ status: 'FAILURE', reason: 'content policy' })
   */
  toHaveSettled(expected?: Like<Settled>, howOften?: HowOften): R
  /**
   * A client has looked how a task is doing.
   * @example
   * const { id } = await client.makeVideo('a red kite')
   * expect(sim).toHavePolled({ task: id, shown: 'SUCCESS' }, { times: 1 })
   */
  toHavePolled(expected?: Like<JournalEntry>, howOften?: HowOften): R
  /**
   * A client has got the bytes of a film or a picture, whole and unaltered.
   * @example
   * const { id } = await client.makeVideo('a red kite')
   * expect(sim).toHaveDownloaded({ task: id })
   */
  toHaveDownloaded(expected?: Like<JournalEntry>, howOften?: HowOften): R
  /**
   * A client has made a request like this, whatever came of it.
   * @example
   * sim.next('chat.*', { respond: { status: 503 } })
   * await client.ask('Why do kites fly?').catch(() => client.ask('Why do kites fly?'))
   * expect(sim).toHaveRequested('chat.complete', { status: 503 }, { times: { min: 1, max: 3 } })
   */
  toHaveRequested(operation: OperationPattern, expected?: Like<JournalEntry>, howOften?: HowOften): R
  /**
   * A verdict is good: nothing that was expected is missing, and nothing that must never be was done.
   * @example
   * await client.makeVideo('a red kite')
   * expect(await sim.verdict()).toPass()
   */
  toPass(): R
}

/**
 * Matchers for `expect.extend`, of Vitest and of Jest. `greenroom/vitest` has extended Vitest's already.
 *
 * They take a simulator, one of its namespaces, or the gateway of a test; `toPass` takes a verdict.
 *
 * @example
 * import { greenroomMatchers } from 'greenroom/matchers'
 * expect.extend(greenroomMatchers)
 */
export const greenroomMatchers = {
  toHaveSubmitted(
    this: MatcherContext,
    gateway: unknown,
    expected?: Like<Submission>,
    howOften: HowOften = {},
  ): Matched {
    const what = { matcher: 'toHaveSubmitted', of: 'submissions' }
    return found(this, what, submissionsOf(askedOf(gateway)), expected, howOften)
  },

  toHaveSettled(
    this: MatcherContext,
    gateway: unknown,
    expected?: Like<Settled>,
    howOften: HowOften = {},
  ): Matched {
    const what = { matcher: 'toHaveSettled', of: 'ended tasks' }
    return found(this, what, settledOf(askedOf(gateway)), expected, howOften)
  },

  toHavePolled(
    this: MatcherContext,
    gateway: unknown,
    expected?: Like<JournalEntry>,
    howOften: HowOften = {},
  ): Matched {
    const what = { matcher: 'toHavePolled', of: 'polls' }
    return found(this, what, pollsOf(askedOf(gateway)), expected, howOften)
  },

  toHaveDownloaded(
    this: MatcherContext,
    gateway: unknown,
    expected?: Like<JournalEntry>,
    howOften: HowOften = {},
  ): Matched {
    const what = { matcher: 'toHaveDownloaded', of: 'whole downloads' }
    return found(this, what, downloadsOf(askedOf(gateway)), expected, howOften)
  },

  toHaveRequested(
    this: MatcherContext,
    gateway: unknown,
    operation: OperationPattern,
    expected?: Like<JournalEntry>,
    howOften: HowOften = {},
  ): Matched {
    checkOperation(operation)
    const what = { matcher: 'toHaveRequested', of: `requests of ${operation}` }
    const requests = requestsOf(askedOf(gateway), (entry) => isAmong(operation, entry.operation))
    return found(this, what, requests, expected, howOften)
  },

  toPass(this: MatcherContext, verdict: unknown): Matched {
    const { passed } = verdictOf(verdict)
    const message = (): string =>
      passed
        ? 'expect(verdict).not.toPass()\n\nExpected something to be wrong. Nothing is.'
        : `expect(verdict).toPass()\n\n${failureReport(verdictOf(verdict))}`
    return { pass: passed, message }
  },
}

/**
 * None of what doesn't exist is ever asked for, so that `.not` would always be true.
 * @throws {TypeError} for what no operation is called.
 */
function checkOperation(pattern: string): void {
  if (operations.some((operation) => isAmong(pattern, operation))) return
  throw new TypeError(
    `Failed to look for requests: "${pattern}" is no operation.${didYouMean(pattern, operations)} ` +
      `Use one of ${operations.join(', ')}, or a pattern with *.`,
  )
}

/** @throws {TypeError} for what is no verdict. */
function verdictOf(value: unknown): Verdict {
  const verdict = value as Partial<Verdict> | null | undefined
  if (typeof verdict?.passed === 'boolean' && Array.isArray(verdict.results)) return verdict as Verdict
  throw new TypeError(
    `Failed to look at a verdict: expect() was given ${isPromise(value) ? 'a promise' : typeof value}. ` +
      'Await it: expect(await gateway.verdict()).toPass()',
  )
}
