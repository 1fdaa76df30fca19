import type { HttpHandler } from 'msw'
import type { ClockMode, ClockStatus } from './engine/clock-settings.ts'
import { parseDuration } from './engine/duration.ts'
import { namespaceName } from './engine/namespace.ts'
import type { Advanced, ListedRule, TaskSummary } from './control/control.ts'
import { directFetch } from './doors/direct.ts'
import { mswHandlers, type HandlerOptions } from './doors/msw.ts'
import type { KeyUsage } from './gateway/account.ts'
import type { JournalEntry, JournalFilter } from './gateway/journal.ts'
import { nodeMedia } from './media/node.ts'
import { clockOptions, mediaOptions, type SimulatorOptions } from './options.ts'
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

/** What {@link createSimulator} takes beside the options of every simulator. */
export interface EmbeddedOptions extends SimulatorOptions {
  /** The encoder: a path, or `wasm`. By default ffmpeg-static where its binary is installed, else wasm. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
  /**
   * What is played: a scenario of a file, by `await loadScenario(path)`, or one of `defineScenario`. What else the options
   * say goes before what it says.
   */
  scenario?: LoadedScenario | Scenario
}

/** Time as a test sees it. Durations are texts such as `90s`, or milliseconds. */
export interface ClockHandle {
  /** The virtual instant, in milliseconds since 1970. */
  now(): number
  /** Moves time on, and resolves when everything due has been applied. */
  advance(duration: string | number): Promise<Advanced>
  /** Moves time on until a task has a status. */
  advanceUntil(task: string, status: string): Promise<Advanced>
  /**
   * Parks the caller: give it to your client as its `sleep`. In mode `auto` a client that was woken has 25 ms of
   * real time to sleep again before time moves on without it. Where several clients sleep, name each by `as`.
   */
  sleep(duration: string | number, options?: { signal?: AbortSignal; as?: string }): Promise<void>
  /**
   * From now on mode `auto` moves only when this participant is parked too: asleep on the clock, or waiting for an answer.
   * @throws {ClockError} when too many take part.
   */
  join(name: string): ParticipantHandle
  /** Time no longer waits for this participant; without a name, for one that never said its own. */
  leave(name?: string): void
  /**
   * Keeps mode `auto` from moving time, until it is let go or runs out: after 30 seconds of real time unless told.
   * @param name who holds, for whoever asks why time stands still.
   */
  hold(name?: string, options?: { for?: string | number }): HoldHandle
  set(mode: ClockMode, rate?: number): ClockStatus
  /** Where time stands, who waits, and in `why` why it doesn't move. */
  status(): ClockStatus
}

/** One of several that share a clock. */
export interface ParticipantHandle extends Disposable {
  readonly name: string
  /** The clock's `sleep` under this name: what the participant's client is given. */
  readonly sleep: (duration: string | number, options?: { signal?: AbortSignal }) => Promise<void>
  leave(): void
}

/** Keeps time from moving by itself. */
export interface HoldHandle extends Disposable {
  readonly id: string
  readonly name: string
  /** Holds for so long from now on. */
  renew(duration?: string | number): void
  /** Lets go; doing so late or twice does nothing. */
  release(): void
}

/** One namespace: its time, tasks and exchanges, shared with no other. */
export interface NamespaceHandle {
  readonly name: string
  /** A key whose requests belong to this namespace. */
  readonly key: string
  readonly clock: ClockHandle
  tasks(): TaskSummary[]
  task(id: string): TaskSummary
  /** Puts a task into a state, such as `FAILURE` with a reason. */
  transition(id: string, change: { status: string; reason?: string }): TaskSummary
  journal(filter?: JournalFilter): JournalEntry[]
  /** What each key has used, and what is left of its balance. */
  usage(): KeyUsage[]
  /** Forgets tasks and exchanges, and what keys have used. */
  clear(): void
  /**
   * All that must be known of this namespace to go on from here, as one document that can be written as JSON: time,
   * tasks, counts, balances. Exchanges aren't in it.
   */
  snapshot(): Snapshot
  /**
   * Puts what a snapshot says in the place of what is there; time, too, goes on from where it stood.
   * @example
   * const before = sim.snapshot()
   * await myClient.makeFilm()
   * sim.restore(before)
   * @throws {StateError} for a document that can't be; then nothing has changed.
   */
  restore(snapshot: Snapshot): void
  /**
   * Watches what clients do from now on, to judge it later.
   * @example
   * const run = sim.watch({ always: ['no-early-download'] })
   * await myClient.makeFilm()
   * expect((await run.verdict()).passed).toBe(true)
   * @throws {PatternError} {DurationError} for a sequence or a duration that can't be read.
   */
  watch(expect?: Expect): WatchedRun
}

/** A simulator inside a test or a program. Its own clock, tasks and journal are those of `default`. */
export interface EmbeddedSimulator extends NamespaceHandle, AsyncDisposable {
  /** A `fetch` without a port, for any client that takes one. */
  readonly fetch: typeof fetch
  /** Handlers for MSW. */
  handlers<Handler = HttpHandler>(options: HandlerOptions<Handler>): Handler[]
  namespace(name: string): NamespaceHandle
  /** Adds a rule in front of those of the options. Returns its id. */
  addRule(rule: Rule): string
  /**
   * What becomes of the next request only, or of so many as `times` says.
   * @example
   * sim.next('video.poll', { fault: 'reset' })
   */
  next(op: string, effect: Omit<Rule, 'match'>): string
  /** Takes a rule away. Returns whether there was one. */
  removeRule(id: string): boolean
  /** The rules, the strongest first, with how often each was eligible and fired. */
  rules(): ListedRule[]
  /**
   * Judges all that happened by what the scenario expects; without a scenario, by the ten invariants of a good client, over
   * what the journal still knows.
   */
  verdict(): Promise<Verdict>
  /** The simulator itself, for what the rest doesn't show. */
  readonly core: Simulator
  /** Ends encoders and clocks. */
  close(): Promise<void>
}

/**
 * Makes a simulator to be embedded: its clock is in mode `auto`, and its clips are `fast`.
 *
 * @example
 * const sim = createSimulator({ seed: 7 })
 * const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
 *
 * @throws {Error} for options that contradict themselves; the message names them.
 */
export function createSimulator(options: EmbeddedOptions = {}): EmbeddedSimulator {
  const { scenario: played, ...said } = options
  const scenario = played && playedScenario(played)
  return embed({ ...scenario?.options, ...said }, scenario)
}

const whatEveryClientKeeps: Expect = {
  always: [...invariantNames],
  allow: { vacuous: true, unusedRules: true, unmatched: true },
}

function embed(options: EmbeddedOptions, scenario: PlayedScenario | undefined): EmbeddedSimulator {
  const { ffmpeg, cacheDir, ...rest } = options
  const media = options.media ?? nodeMedia({ ffmpeg, cacheDir, ...mediaOptions(options) })
  const core = composeSimulator({
    quality: 'fast',
    ...rest,
    text: { pace: 'instant', ...rest.text },
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
