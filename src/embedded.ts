import type { HttpHandler } from 'msw'
import type { ClockMode, ClockStatus } from './engine/clock-settings.ts'
import { parseDuration } from './engine/duration.ts'
import { namespaceName } from './engine/namespace.ts'
import type { OperationPattern } from './engine/operation.ts'
import type { Advanced, ListedRule, TaskSummary } from './control/control.ts'
import { directFetch } from './doors/direct.ts'
import { mswHandlers, type HandlerOptions } from './doors/msw.ts'
import type { KeyUsage } from './gateway/account.ts'
import type { JournalEntry, JournalFilter } from './gateway/journal.ts'
import type { MediaSource } from './media/source.ts'
import { clockOptions, type SimulatorOptions } from './options.ts'
import type { Rule } from './scenario/rule.ts'
import type { SimulatorControl } from './simulator-control.ts'
import { playedScenario, type PlayedScenario } from './played-scenario.ts'
import type { LoadedScenario, Scenario } from './scenarios.ts'
import { invariantNames } from './scenario/invariant-names.ts'
import type { Expect } from './verdict/expect.ts'
import type { Verdict } from './verdict/verdict.ts'
import type { Snapshot } from './state/document.ts'
import { watchRun, type WatchedRun } from './watched-run.ts'
import { composeSimulator, type Simulator } from './simulator.ts'

/** What an embedded simulator takes beside the options of every simulator, wherever it runs. */
export interface PlayingOptions extends SimulatorOptions {
  /**
   * What is played: a scenario of a file, by `await loadScenario(path)`, or one of `defineScenario`. What else the options
   * say goes before what it says.
   */
  scenario?: LoadedScenario | Scenario
}

/**
 * Time as a test sees it. Durations are texts such as `90s`, or milliseconds.
 *
 * @example
 * const clock: ClockHandle = sim.clock
 * clock.set('manual')
 * const start = clock.now()
 * await clock.advance('1m30s')
 * clock.now() - start // → 90_000
 */
export interface ClockHandle {
  /**
   * The virtual instant, in milliseconds since 1970.
   * @example
   * new Date(sim.clock.now()).toISOString() // → '2030-01-01T00:00:00.000Z'
   */
  now(): number
  /**
   * Moves time on, and resolves when everything due has been applied.
   * @param duration such as `90s` or `1m30s`, or milliseconds.
   * @throws {DurationError} for a duration that can't be read, {ClockError} in mode `host`.
   * @example
   * const task = await client.submitVideo('a red kite [[render 2m]]')
   * await sim.clock.advance('90s')
   * sim.task(task).status // → 'IN_PROGRESS'
   */
  advance(duration: string | number): Promise<Advanced>
  /**
   * Moves time on until a task has a status.
   * @param task its id.
   * @throws {ControlError} for an unknown task, and for one that never gets there.
   * @example
   * const task = await client.submitVideo('a red kite')
   * const { now } = await sim.clock.advanceUntil(task, 'SUCCESS')
   * now === sim.task(task).finishedAt // → true
   */
  advanceUntil(task: string, status: string): Promise<Advanced>
  /**
   * Parks the caller: give it to your client as its `sleep`. In mode `auto` a client that was woken has 25 ms of
   * real time to sleep again before time moves on without it. Where several clients sleep, name each by `as`.
   * @example
   * const client = new MyClient({ fetch: sim.fetch, sleep: sim.clock.sleep })
   * const { status } = await client.makeVideo('a red kite')
   * status // → 'SUCCESS'
   * sim.clock.status().assumesPollStep // → false
   */
  sleep(duration: string | number, options?: { signal?: AbortSignal; as?: string }): Promise<void>
  /**
   * From now on mode `auto` moves only when this participant is parked too: asleep on the clock, or waiting for an answer.
   * @throws {ClockError} when too many take part.
   * @example
   * using first = sim.clock.join('worker-a')
   * using second = sim.clock.join('worker-b')
   * const start = sim.clock.now()
   * await Promise.all([first.sleep('5s').then(first.leave), second.sleep('8s')])
   * sim.clock.now() - start // → 8_000
   */
  join(name: string): ParticipantHandle
  /**
   * Time no longer waits for this participant; without a name, for one that never said its own.
   * @throws {ClockError} when no such participant takes part.
   * @example
   * sim.clock.join('worker-a')
   * sim.clock.leave('worker-a')
   * sim.clock.status().participants.names // → []
   */
  leave(name?: string): void
  /**
   * Keeps mode `auto` from moving time, until it is let go or runs out: after 30 seconds of real time unless told.
   * @param name who holds, for whoever asks why time stands still.
   * @throws {ClockError} for more than an hour, and in a mode in which time passes whatever is held.
   * @example
   * using hold = sim.clock.hold('the page is drawn', { for: '10s' })
   * sim.clock.status().why // → '…the page is drawn…'
   */
  hold(name?: string, options?: { for?: string | number }): HoldHandle
  /**
   * Changes how time moves; what it has come to stays.
   * @param rate how many virtual seconds pass in one of the host's, in mode `scaled`.
   * @throws {ClockError} for a mode or rate that can't be.
   * @example
   * sim.clock.set('scaled', 60) // → { mode: 'scaled', rate: 60, … }
   */
  set(mode: ClockMode, rate?: number): ClockStatus
  /**
   * Where time stands, who waits, and in `why` why it doesn't move.
   * @example
   * sim.clock.status() // → { mode: 'auto', why: 'auto: nobody waits on the clock; …', … }
   */
  status(): ClockStatus
}

/**
 * One of several that share a clock.
 *
 * @example
 * using worker: ParticipantHandle = sim.clock.join('worker-a')
 * const client = new MyClient({ fetch: sim.fetch, sleep: worker.sleep })
 * const { status } = await client.makeVideo('a red kite')
 * status // → 'SUCCESS'
 */
export interface ParticipantHandle extends Disposable {
  readonly name: string
  /** The clock's `sleep` under this name: what the participant's client is given. */
  readonly sleep: (duration: string | number, options?: { signal?: AbortSignal }) => Promise<void>
  /** Time no longer waits for it; doing so twice does nothing. `using` does it by itself. */
  leave(): void
}

/**
 * Keeps time from moving by itself.
 *
 * @example
 * const hold: HoldHandle = sim.clock.hold('a breakpoint')
 * hold.renew('5m')
 * sim.clock.status().holds // → [{ id: hold.id, name: 'a breakpoint', … }]
 * hold.release()
 */
export interface HoldHandle extends Disposable {
  readonly id: string
  readonly name: string
  /**
   * Holds for so long from now on: 30 seconds of real time unless told.
   * @throws {ControlError} when it was let go, or its time ran out.
   */
  renew(duration?: string | number): void
  /** Lets go; doing so late or twice does nothing. */
  release(): void
}

/**
 * One namespace: its time, tasks and exchanges, shared with no other.
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
   * All its tasks that are kept, the oldest first.
   * @example
   * await client.submitVideo('a red kite')
   * sim.tasks() // → [{ operation: 'video.submit', status: 'queued', … }]
   */
  tasks(): TaskSummary[]
  /**
   * One task, as it is now.
   * @throws {ControlError} for an unknown task.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.task(task).request // → { prompt: 'a red kite', model: 'video-1', … }
   */
  task(id: string): TaskSummary
  /**
   * Puts a task into a state, such as `FAILURE` with a reason.
   * @throws {ControlError} for an unknown task, {TransitionError} for a state it can't go to.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.transition(task, { status: 'FAILURE', reason: 'the power went out' })
   * const { fail_reason: reason } = await client.pollVideo(task)
   * reason // → 'the power went out'
   */
  transition(id: string, change: { status: string; reason?: string }): TaskSummary
  /**
   * Its exchanges that are still remembered, the oldest first.
   * @example
   * await client.makeVideo('a red kite')
   * sim.journal({ operation: 'video.content' }) // → [{ status: 200, outcome: 'completed', … }]
   */
  journal(filter?: JournalFilter): JournalEntry[]
  /**
   * What each key has used, and what is left of its balance.
   * @example
   * await client.ask('Why do kites fly?')
   * sim.usage() // → [{ key: 'sk-…', tasks: 0, balance: null, … }]
   */
  usage(): KeyUsage[]
  /**
   * Forgets tasks and exchanges, and what keys have used.
   * @example
   * await client.submitVideo('a red kite')
   * sim.clear()
   * sim.tasks() // → []
   */
  clear(): void
  /**
   * Adds a rule in front of those of the options, for this namespace alone; on the simulator itself, for all. Returns its id.
   * @throws {RuleError} for a rule that contradicts itself.
   * @example
   * sim.addRule({ id: 'busy', match: { op: 'video.submit' }, times: 1, respond: { status: 503 } })
   * const { status } = await client.post('/v1/video/generations', { model: 'video-1', prompt: 'a red kite' })
   * status // → 503
   */
  addRule(rule: Rule): string
  /**
   * What becomes of the next such request of this namespace only, or of so many as `times` says.
   * @param op an operation, or several by `*`: `video.*`.
   * @returns the id of the rule.
   * @throws {RuleError} for a rule that contradicts itself.
   * @example
   * const task = await client.submitVideo('a red kite')
   * sim.next('video.poll', { fault: 'reset' })
   * await client.pollVideo(task) // throws TypeError: fetch failed
   */
  next(op: OperationPattern | readonly OperationPattern[], effect: Omit<Rule, 'match'>): string
  /**
   * Takes away a rule that was added here. Returns whether there was one.
   * @example
   * const id = sim.addRule({ match: { op: 'chat.*' }, delay: '20s' })
   * sim.removeRule(id) // → true
   */
  removeRule(id: string): boolean
  /**
   * The rules that concern this namespace, the strongest first, with how often each was eligible and fired here.
   * @example
   * sim.addRule({ id: 'lost', match: { op: 'video.poll' }, attempts: ['reset', 'ok'] })
   * sim.rules() // → [{ layer: 'added', id: 'lost', eligible: 0, fired: 0, … }]
   */
  rules(): ListedRule[]
  /**
   * All that must be known of this namespace to go on from here, as one document that can be written as JSON: time,
   * tasks, counts, balances. Exchanges aren't in it.
   * @example
   * await client.submitVideo('a red kite')
   * const written = JSON.stringify(sim.snapshot())
   * sim.clear()
   * sim.restore(JSON.parse(written) as Snapshot)
   * sim.tasks() // → [{ status: 'queued', … }]
   */
  snapshot(): Snapshot
  /**
   * Puts what a snapshot says in the place of what is there; time, too, goes on from where it stood.
   * @throws {StateError} for a document that can't be; then nothing has changed.
   * @example
   * const before = sim.snapshot()
   * await myClient.makeFilm()
   * sim.restore(before)
   * @throws {StateError} for a document that can't be; then nothing has changed.
   */
  restore(snapshot: Snapshot): void
  /**
   * Watches what clients do from now on, to judge it later.
   * @throws {PatternError} {DurationError} for a sequence or a duration that can't be read.
   * @example
   * const run = sim.watch({ always: ['no-early-download'] })
   * await client.makeVideo('a red kite')
   * const { passed } = await run.verdict()
   * passed // → true
   */
  watch(expect?: Expect): WatchedRun
}

/**
 * A simulator inside a test or a program. Its own clock, tasks and journal are those of `default`; its rules are for all
 * namespaces. `MyClient` stands for your own client, here and in the other examples.
 *
 * @example
 * await using sim: EmbeddedSimulator = createSimulator()
 * const client = new MyClient({ fetch: sim.fetch })
 * const { error } = await client.makeVideo('a red kite [[fail: content policy]]')
 * error // → 'content policy'
 */
export interface EmbeddedSimulator extends NamespaceHandle, AsyncDisposable {
  /** A `fetch` without a port, for any client that takes one. */
  readonly fetch: typeof fetch
  /**
   * Handlers for MSW's `setupServer` and `setupWorker`.
   * @throws {Error} for a base URL that isn't one, and where msw can't be found.
   * @example
   * import { setupServer } from 'msw/node'
   * const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
   * server.listen()
   * const { status } = await fetch('https://gateway.example/v1/models')
   * status // → 401
   * server.close()
   */
  handlers<Handler = HttpHandler>(options: HandlerOptions<Handler>): Handler[]
  /**
   * A namespace of its own, as for each test or user. The same name is the same namespace.
   * @param name letters, digits, `-` and `_`.
   * @throws {Error} for a name with other signs.
   * @example
   * const [alice, bob] = [sim.namespace('alice'), sim.namespace('bob')]
   * await alice.clock.advance('1h')
   * alice.clock.now() - bob.clock.now() // → 3_600_000
   */
  namespace(name: string): NamespaceHandle
  /**
   * Judges all that happened by what the scenario expects; without a scenario, by the ten invariants of a good client, over
   * what the journal still knows.
   * @example
   * await client.pollVideo(await client.submitVideo('a red kite'))
   * await client.get('/v1/no-such-path')
   * const { passed, requests } = await sim.verdict()
   * passed // → true
   * requests // → 3
   */
  verdict(): Promise<Verdict>
  /** The simulator itself, for what the rest doesn't show. */
  readonly core: Simulator
  /**
   * Ends encoders and clocks; whoever waits is let go. `await using` does so by itself.
   * @example
   * const sim = createSimulator({ clock: { mode: 'scaled', rate: 60 } })
   * await sim.close()
   */
  close(): Promise<void>
}

/**
 * A simulator with its doors: its clock is in mode `auto`, and its clips are `fast`.
 * @param makeMedia makes what gives it bytes, unless the options bring their own.
 * @throws {Error} for options that contradict themselves; the message names them.
 */
export function embeddedSimulator<Options extends PlayingOptions>(
  options: Options,
  makeMedia: (options: Options) => MediaSource,
): EmbeddedSimulator {
  const { scenario: played, ...said } = options
  const scenario = played && playedScenario(played)
  const all = { ...scenario?.options, ...said } as Options
  return embed(all, all.media ?? makeMedia(all), scenario)
}

const whatEveryClientKeeps: Expect = {
  always: [...invariantNames],
  allow: { vacuous: true, unusedRules: true, unmatched: true },
}

function embed(
  options: SimulatorOptions,
  media: MediaSource,
  scenario: PlayedScenario | undefined,
): EmbeddedSimulator {
  const core = composeSimulator({
    quality: 'fast',
    ...options,
    text: { pace: 'instant', ...options.text },
    media,
    clock: clockOptions(options, 'auto'),
  })
  // Without a scenario nothing is watched until somebody asks; the journal then tells what it still knows.
  const watched = scenario && watchRun(core, 'default', scenario.expect, scenario.names)
  const keptByAll = (): WatchedRun => watchRun(core, 'default', whatEveryClientKeeps)
  return {
    ...namespaceHandle(core, 'default'),
    core,
    verdict: async () => {
      if (watched) return watched.verdict()
      const run = keptByAll()
      return run.verdict().finally(run.stop)
    },
    fetch: directFetch(core),
    handlers: (handlerOptions) => mswHandlers(core, handlerOptions),
    namespace: (name) => namespaceHandle(core, name),
    addRule: (rule) => core.rules.add(rule),
    next: (op, effect) => core.rules.next({ match: { op }, ...effect }),
    removeRule: (id) => core.rules.remove(id),
    rules: () => core.rules.list(),
    close: core.close,
    [Symbol.asyncDispose]: core.close,
  }
}

function namespaceHandle(core: Simulator, name: string): NamespaceHandle {
  const { control } = core
  if (!namespaceName.test(name)) {
    throw new Error(
      `Failed to name a namespace: "${name}" has other signs than letters, digits, "-" and "_".`,
    )
  }
  return {
    name,
    key: `sk-sim-${name}`,
    clock: clockHandle(control, name),
    tasks: () => control.tasks(name),
    task: (id) => control.task(name, id),
    transition: (id, change) => control.transition(name, id, change),
    journal: (filter) => control.journal(name, filter),
    usage: () => control.usage(name),
    clear: () => control.clear(name, { journal: true, tasks: true }),
    addRule: (rule) => core.rules.add(rule, name),
    next: (op, effect) => core.rules.next({ match: { op }, ...effect }, name),
    removeRule: (id) => core.rules.remove(id, name),
    rules: () => core.rules.list(name),
    snapshot: () => control.snapshot(name),
    restore: (snapshot) => void control.restore(snapshot, { namespace: name, isTrusted: true }),
    watch: (expect = {}) => watchRun(core, name, expect),
  }
}

function clockHandle(control: SimulatorControl, namespace: string): ClockHandle {
  const sleep: ClockHandle['sleep'] = async (duration, options = {}) =>
    void (await control.sleep(namespace, parseDuration(duration), options))
  return {
    now: () => control.now(namespace),
    advance: (duration) => control.advance(namespace, { by: parseDuration(duration) }),
    advanceUntil: (task, status) => control.advance(namespace, { until: { task, status } }),
    sleep,
    join: (name) => {
      control.join(namespace, name)
      let left = false
      const leave = (): void => {
        if (!left) control.leave(namespace, name)
        left = true
      }
      return {
        name,
        sleep: (duration, options) => sleep(duration, { ...options, as: name }),
        leave,
        [Symbol.dispose]: leave,
      }
    },
    leave: (name) => void control.leave(namespace, name),
    hold: (name = 'somebody', options = {}) => {
      const { id } = control.hold(namespace, { name, ...spanOf(options.for) })
      const release = (): void => void control.releaseHold(namespace, id)
      return {
        id,
        name,
        renew: (duration) => void control.renewHold(namespace, id, spanOf(duration).forMs),
        release,
        [Symbol.dispose]: release,
      }
    },
    set: (mode, rate) => control.setClock(namespace, rate === undefined ? { mode } : { mode, rate }),
    status: () => control.clock(namespace),
  }
}

function spanOf(duration: string | number | undefined): { forMs?: number } {
  return duration === undefined ? {} : { forMs: parseDuration(duration) }
}
