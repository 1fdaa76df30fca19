import * as z from 'zod/mini'
import { namespaceName } from '../engine/namespace.ts'
import type { OperationPattern } from '../apis/index.ts'
import type { TaskSummary } from '../control/tasks.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import type { JournalEntry, JournalFilter } from '../gateway/journal.ts'
import type { ListedRule } from '../scenario/rules/rule.ts'
import type { Expect, Rule } from '../scenario/vocabulary/types.ts'
import type { StreamEvent, StreamMessage } from '../control/events/stream-events.ts'
import type { Snapshot } from '../control/state.ts'
import { wholeNumber } from '../scenario/schema/values.ts'
import { anySignal, checkArguments, clockHandle, type ClockHandle } from './clock-handle.ts'
import { reportNamespace } from './reporters.ts'
import { expectNoAbandonedTasks, watchRun, type WatchedRun } from './watched-run.ts'
import type { Simulator } from '../simulator/simulator.ts'

/**
 * One namespace, with a clock, tasks and exchanges of its own.
 *
 * @example
 * const alice: NamespaceHandle = sim.namespace('alice')
 * const client = new MyClient({ fetch: sim.fetch, apiKey: alice.key })
 * await client.submitVideo('a red kite')
 * alice.tasks().length // → 1
 * sim.tasks().length // → 0
 */
export interface NamespaceHandle {
  readonly name: string
  /** A key whose requests belong to this namespace. */
  readonly key: string
  readonly clock: ClockHandle
  /**
   * Its stored tasks, oldest first.
   * @param filter `last`: only this many tasks, the newest.
   * @example
   * await client.submitVideo('a red kite')
   * sim.tasks() // → [{ operation: 'video.submit', status: 'queued', … }]
   */
  tasks(filter?: { last?: number }): TaskSummary[]
  /**
   * The present state of one task.
   * @throws {ControlError} for an unknown task.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.task(task).request // → { prompt: 'a red kite', model: 'video-1', … }
   */
  task(id: string): TaskSummary
  /**
   * Moves a task to a state, such as `FAILURE` with a reason.
   * @throws {ControlError} for an unknown task; `TransitionError` for a state that the task can't reach.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.transition(task, { status: 'FAILURE', reason: 'the power went out' })
   * const { fail_reason: reason } = await client.pollVideo(task)
   * reason // → 'the power went out'
   */
  transition(id: string, change: { status: string; reason?: string }): TaskSummary
  /**
   * Its exchanges in the journal, oldest first.
   * @example
   * await client.makeVideo('a red kite')
   * sim.journal({ operation: 'video.content' }) // → [{ status: 200, outcome: 'completed', … }]
   */
  journal(filter?: JournalFilter): JournalEntry[]
  /**
   * The usage of each key, and its remaining balance.
   * @example
   * await client.ask('Why do kites fly?')
   * sim.usage() // → [{ key: 'sk-…', tasks: 0, balance: null, … }]
   */
  usage(): KeyUsage[]
  /**
   * Deletes tasks, exchanges and usage.
   * @example
   * await client.submitVideo('a red kite')
   * sim.clear()
   * sim.tasks() // → []
   */
  clear(): void
  /**
   * Resets the namespace: like {@link clear}, and also removes the rules that were added here, restarts the clock and
   * forgets holds and participants. Exchanges are numbered from 1. On the simulator itself, this resets every namespace and
   * the rules for all. Sleeping clients wake, and a pending response closes its connection. An earlier watch sees no later
   * exchanges.
   * @example
   * const start = sim.clock.now()
   * sim.next('video.submit', { respond: { status: 503 } })
   * await sim.clock.advance('1h')
   * sim.reset()
   * sim.clock.now() - start // → 0
   * sim.rules() // → []
   */
  reset(): void
  /**
   * Adds a rule before those of the options, for this namespace; on the simulator itself, for all. Returns its id. A rule
   * with an id and without an effect only counts its requests. Later rules don't get them.
   * @throws {RuleError} for a contradictory rule, and for one with neither effect nor id.
   * @example
   * sim.addRule({ id: 'busy', match: { op: 'video.submit' }, times: 1, respond: { status: 503 } })
   * const { status } = await client.post('/v1/video/generations', { model: 'video-1', prompt: 'a red kite' })
   * status // → 503
   */
  addRule(rule: Rule): string
  /**
   * Adds a rule for the next matching request of this namespace, or for the next `times` requests.
   * @param op an operation, or several by a pattern: `video.*`.
   * @param effect the effect of the rule; at least one of `respond`, `fault`, `delay`, `task`, `answer`, `stream`, `media`,
   * `attempts`, `set`.
   * @returns the id of the rule.
   * @throws {RuleError} for a rule that is contradictory or has no effect.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.next('video.poll', { fault: 'reset' })
   * await client.pollVideo(task) // throws TypeError: fetch failed
   */
  next(op: OperationPattern | readonly OperationPattern[], effect: Omit<Rule, 'match'>): string
  /**
   * Removes a rule that was added here. Returns whether it existed.
   * @example
   * const id = sim.addRule({ match: { op: 'chat.*' }, delay: '20s' })
   * sim.removeRule(id) // → true
   */
  removeRule(id: string): boolean
  /**
   * The rules of this namespace, highest precedence first. Each has the number of requests here for which it was eligible,
   * and for which it fired.
   * @example
   * sim.addRule({ id: 'lost', match: { op: 'video.poll' }, attempts: ['reset', 'ok'] })
   * sim.rules() // → [{ layer: 'added', id: 'lost', eligible: 0, fired: 0, … }]
   */
  rules(): ListedRule[]
  /**
   * The state of this namespace as one JSON document: time, tasks, counters, balances. It contains no exchanges.
   * @example
   * await client.submitVideo('a red kite')
   * const written = JSON.stringify(sim.snapshot())
   * sim.clear()
   * sim.restore(JSON.parse(written) as Snapshot)
   * sim.tasks() // → [{ status: 'queued', … }]
   */
  snapshot(): Snapshot
  /**
   * Replaces the state by a snapshot. Time continues from the snapshot, too.
   * @throws {StateError} for an invalid document; then nothing changes.
   * @example
   * const before = sim.snapshot()
   * await client.makeVideo('a red kite')
   * sim.restore(before)
   * sim.tasks() // → []
   */
  restore(snapshot: Snapshot): void
  /**
   * The event stream of the control API: the present state, then each event as it happens. It ends with the loop, with the
   * signal, and when the simulator is closed.
   * @param options.lastEventId the `id` of the last message of an earlier loop, to continue without a gap.
   * @throws {Error} for a reader that leaves more than 8 MB unread.
   * @example
   * for await (const { event, data } of sim.events()) {
   *   if (event === 'ready') void client.submitVideo('a red kite')
   *   if (event === 'batch' && data.tasks) break
   * }
   * sim.tasks().length // → 1
   */
  events(options?: { lastEventId?: string; signal?: AbortSignal }): AsyncIterable<StreamEvent>
  /**
   * Starts to watch clients, to judge them later.
   * @throws {PatternError} for an invalid sequence; `SettingsError` for any other invalid expectation.
   * @example
   * const run = sim.watch({ always: ['no-early-download'] })
   * await client.makeVideo('a red kite')
   * const { passed } = await run.verdict()
   * passed // → true
   * sim.watch({ within: 'an hour' }) // throws SettingsError: …within is "an hour": "an hour" is not a duration: …
   */
  watch(expect?: Expect): WatchedRun
  /**
   * Checks that the client has seen the end of each paid task, or has cancelled the task. Call it when the client has
   * finished. A task does not count if the response to its submission was lost.
   * @throws {VerdictError} if the client has abandoned a task.
   * @example
   * await client.submitVideo('a red kite')
   * await sim.expectNoAbandonedTasks() // throws VerdictError: …
   */
  expectNoAbandonedTasks(): Promise<void>
  /**
   * The fields that requests of tasks can have. Matchers refuse all others as misspelled.
   * @example
   * sim.requestFields().includes('seconds') // → true
   */
  requestFields(): readonly string[]
}

const taskFilter = z.optional(z.strictObject({ last: z.optional(wholeNumber(0)) }))
const taskChange = z.strictObject({ status: z.string(), reason: z.optional(z.string()) })
const journalFilter = z.optional(
  z.strictObject({
    operation: z.optional(z.string()),
    task: z.optional(z.string()),
    status: z.optional(wholeNumber(0)),
    outcome: z.optional(z.string()),
    last: z.optional(wholeNumber(0)),
  } satisfies Record<keyof JournalFilter, z.ZodMiniType>),
)
const eventOptions = z.optional(z.looseObject({ lastEventId: z.optional(z.string()), signal: anySignal }))

/**
 * A namespace by a name that a caller gives, created on first use.
 * @throws {Error} for a name with characters other than letters, digits, `-` and `_`.
 */
export function namedNamespace(simulator: Simulator, name: string): NamespaceHandle {
  checkArguments("sim.namespace('alice')", { name: z.string() }, { name })
  if (!namespaceName.test(name)) {
    throw new Error(
      `Failed to name a namespace: "${name}" has characters other than letters, digits, "-" and "_".`,
    )
  }
  return namespaceHandle(simulator, name)
}

/**
 * A namespace, created on first use.
 * @param options `hasRulesForAll`: whether its rules apply to all namespaces.
 */
export function namespaceHandle(
  simulator: Simulator,
  name: string,
  { hasRulesForAll = false } = {},
): NamespaceHandle {
  const ruleScope = hasRulesForAll ? undefined : name
  const { control } = simulator
  const handle: NamespaceHandle = {
    name,
    key: `sk-sim-${name}`,
    clock: clockHandle(control, name),
    tasks: (filter) => {
      checkArguments('sim.tasks({ last: 3 })', { filter: taskFilter }, { filter })
      return control.tasks.list(name, filter)
    },
    task: (id) => {
      checkArguments('sim.task(id)', { id: z.string() }, { id })
      return control.tasks.get(name, id)
    },
    transition: (id, change) => {
      const usage = "sim.transition(id, { status: 'FAILURE', reason: 'content policy' })"
      checkArguments(usage, { id: z.string(), change: taskChange }, { id, change })
      return control.tasks.transition(name, id, change)
    },
    journal: (filter) => {
      checkArguments("sim.journal({ operation: 'video.*', last: 3 })", { filter: journalFilter }, { filter })
      return control.journal.list(name, filter)
    },
    usage: () => control.tasks.usage(name),
    clear: () => control.clear(name, { journal: true, tasks: true }),
    reset: () => simulator.reset(name),
    addRule: (rule) => simulator.rules.add(rule, ruleScope),
    next: (op, effect) => simulator.rules.next({ match: { op }, ...effect }, ruleScope),
    removeRule: (id) => {
      checkArguments('sim.removeRule(id)', { id: z.string() }, { id })
      return simulator.rules.remove(id, ruleScope)
    },
    rules: () => simulator.rules.list(ruleScope),
    snapshot: () => control.state.snapshot(name),
    restore: (snapshot) => void control.state.restore(snapshot, { namespace: name, isTrusted: true }),
    events: (options) => {
      checkArguments('sim.events({ signal })', { options: eventOptions }, { options })
      return parseMessages(control.events.read(name, options))
    },
    watch: (expect = {}) => watchRun(simulator, name, expect),
    expectNoAbandonedTasks: () => expectNoAbandonedTasks(simulator, name),
    requestFields: simulator.requestFields,
  }
  return reportNamespace(handle, simulator, name)
}

async function* parseMessages(messages: AsyncIterable<StreamMessage>): AsyncGenerator<StreamEvent, void> {
  for await (const { json, ...message } of messages)
    yield { ...message, data: JSON.parse(json) as never } as StreamEvent
}
