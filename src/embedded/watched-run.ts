import {
  findHorizon,
  invariantsOnly,
  judge,
  audit,
  type Audit,
  type CommandOutcome,
  endInvariants,
  checkExpect,
  type ClientEnd,
  createWatch,
  explainNothingAccepted,
  watchJournal,
  withAbnormalEnd,
  failureReport,
  type Verdict,
} from '../judge/index.ts'
import type { Expect } from '../scenario/vocabulary/types.ts'
import type { Position } from '../files/error.ts'
import { reportNamespace } from './reporters.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { Journal, JournalEntry } from '../gateway/journal.ts'

/**
 * Watches exchanges as they happen, to judge them later.
 *
 * @example
 * using run: WatchedRun = sim.watch({ requests: [{ op: 'video.submit', count: 1 }] })
 * await client.makeVideo('a red kite')
 * const { results } = await run.verdict()
 * results.filter(({ fails }) => fails) // → []
 */
export interface WatchedRun extends Disposable {
  /**
   * Judges the exchanges since the watch began. If silence is expected, and the clock may be moved, time passes first.
   * @throws {PatternError} for an invalid regular expression in `reason`.
   * @example
   * const run = sim.watch({ artifacts: [{ kind: 'video', downloaded: 'intact' }] })
   * await client.submitVideo('a red kite')
   * const { results } = await run.verdict()
   * results[0] // → { path: 'artifacts[0]', fails: true, … }
   */
  verdict(): Promise<WordedVerdict>
  /**
   * The invariants and request counts, without expectations.
   * @example
   * const run = sim.watch()
   * await client.makeVideo('a red kite')
   * run.audit().downloads // → { intact: 1, altered: 0, … }
   */
  audit(): Audit
  /**
   * Stops watching. Judging still works.
   * @example
   * const run = sim.watch()
   * run.stop()
   * await client.submitVideo('a red kite')
   * run.audit().requests // → 0
   */
  stop(this: void): void
}

/** The names in reports, and the positions of expectations. */
export interface RunNames {
  readonly name?: string
  readonly file?: string
  /** The command that repeats the run. */
  readonly reproduce?: string
  /** The result of the command; only `greenroom run` has one. */
  readonly command?: () => CommandOutcome | undefined
  /** How the client ended; undefined if that is not seen. */
  readonly end?: () => ClientEnd | undefined
  /** Whether anything that could not be judged fails the run, too. Without a socket, some faults can only be approximated. */
  readonly strict?: boolean
  /** Whether the client must get an accepted request. */
  readonly mustBeAccepted?: boolean
  /** Whether the invariants alone are judged. Then the verdict has statistics. */
  readonly isWithoutScenario?: boolean
  readonly at?: (path: readonly (string | number)[]) => Required<Position> | undefined
}

/**
 * Watches a namespace, starting with the exchanges in its journal.
 * @throws {PatternError} {DurationError} for an invalid sequence or duration; {SettingsError} for unknown names.
 */
export function watchRun(
  simulator: Simulator,
  namespace: string,
  expect: Expect,
  names: RunNames = {},
): WatchedRun & { readonly restarted: () => void; readonly settled: () => Promise<void> } {
  const { namespaces, control, rules, throttles, draws, events } = simulator
  const { journal } = namespaces.get(namespace)
  checkExpect(expect, simulator.operations)
  const watch = createWatch(expect, simulator.operations)
  const stops = [
    watchJournal(journal, watch),
    // Later tasks may have the ids of those that a client's own test suite deleted.
    events.subscribe((event) => {
      if (event.type === 'tasks.cleared' && event.namespace === namespace) watch.tasks.forgotten()
    }),
  ]
  const stop = (): void => stops.forEach((each) => each())
  return {
    verdict: async () => {
      // A restore replaces the clock.
      const { clock } = namespaces.get(namespace)
      const horizon = findHorizon(watch)
      const movable = clock.mode === 'auto' || clock.mode === 'manual'
      if (horizon !== null && movable && horizon > clock.now()) await clock.advanceTo(horizon)
      watch.end = names.end?.()
      const verdict = judge({
        watch,
        tasks: control.tasks.list(namespace),
        rules: [...throttles.counts(namespace), ...rules.counts(namespace)],
        now: clock.now(),
        seed: draws.seed,
        ...names,
      })
      const refused =
        names.mustBeAccepted && verdict.passed ? explainNothingAccepted(journal.entries(), expect) : undefined
      const reason = refused !== undefined && { expected: 'a request is accepted', actual: refused }
      const whole = reason ? withAbnormalEnd(verdict, 'run', reason) : verdict
      return reportNamespace(withMessage(whole, journal.entries()), simulator, namespace)
    },
    audit: () => {
      watch.end = names.end?.()
      return audit(watch)
    },
    restarted: () => watch.restarted(),
    settled: () => whenSettled(watch, journal),
    stop,
    [Symbol.dispose]: stop,
  }
}

/** How long, in real time, the connections of a process that has ended may take to close. */
const maxCloseMs = 5_000

/**
 * Resolves when every request of a client that has ended is settled. Its connections close a moment after its process: until then, a
 * response that it has read to its last event counts as open. Callbacks may come much later, so they are not waited for.
 */
function whenSettled(
  { open }: { readonly open: ReadonlySet<JournalEntry> },
  journal: Pick<Journal, 'subscribe'>,
): Promise<void> {
  const isSettled = (): boolean => [...open].every(({ role }) => role === 'report')
  if (isSettled()) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      hostTimers.clearTimeout(timer)
      resolve()
    }
    const timer = hostTimers.setTimeout(end, maxCloseMs)
    const stop = journal.subscribe((_entry, what) => {
      if (what === 'settled' && isSettled()) end()
    })
  })
}

/** @throws {VerdictError} if the client left a task that was paid for before it knew how the task ended. */
export async function expectNoAbandonedTasks(simulator: Simulator, namespace: string): Promise<void> {
  const run = watchRun(simulator, namespace, { ...invariantsOnly, always: endInvariants })
  assertPassed(await run.verdict().finally(run.stop))
}

/**
 * Judges namespace `default` by a scenario, from now on. Without a scenario, a verdict reads the exchanges that are still
 * in the journal, and judges them by the invariants.
 */
export function judgeScenario(
  simulator: Simulator,
  scenario: { readonly expect: Expect; readonly names: RunNames } | undefined,
): { readonly verdict: () => Promise<WordedVerdict>; readonly begin: () => void; readonly stop: () => void } {
  let watched: WatchedRun | undefined
  const begin = (): void => {
    watched =
      scenario && watchRun(simulator, 'default', scenario.expect, { ...scenario.names, mustBeAccepted: true })
  }
  begin()
  return {
    verdict: async () => {
      if (watched) return watched.verdict()
      const run = watchRun(simulator, 'default', invariantsOnly)
      return run.verdict().finally(run.stop)
    },
    begin,
    stop: () => watched?.stop(),
  }
}

/**
 * A verdict with a message about its failures, for any test runner.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const { passed, message }: WordedVerdict = await sim.verdict()
 * passed // → true
 * message // → ''
 */
export interface WordedVerdict extends Verdict {
  /**
   * The message: the failed expectations, the timelines of the tasks and the offending requests; empty if the verdict
   * passed.
   */
  readonly message: string
}

/**
 * Thrown if the client of a test misbehaved. The message is the report.
 *
 * @example
 * const error = new VerdictError('the client polled after the end')
 * error.stack // → 'VerdictError: the client polled after the end'
 */
export class VerdictError extends Error {
  static {
    recognizeCopies(this, 'VerdictError')
  }

  override name = 'VerdictError'

  constructor(message: string) {
    super(message)
    // The call stack would be noise.
    this.stack = `${this.name}: ${message}`
  }
}

/** @param entries the exchanges of the run. */
export function withMessage(verdict: Verdict, entries: readonly JournalEntry[]): WordedVerdict {
  return { ...verdict, message: verdict.passed ? '' : describeFailures(verdict, entries) }
}

/** The text that a failed test prints about its client. */
export function describeFailures(verdict: Verdict, entries: readonly JournalEntry[]): string {
  return `client check failed (seed ${verdict.seed})\n\n${failureReport(verdict, entries)}`
}

/** @throws {VerdictError} if the verdict failed. */
export function assertPassed({ passed, message }: WordedVerdict): void {
  if (!passed) throw new VerdictError(message)
}
