import { formatDuration } from '../engine/clock/duration.ts'
import { hash128Hex } from '../engine/random/hash.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import {
  maxRequests,
  normalizeResult,
  type ClientRun,
  type RunClient,
  type RunOptions,
} from '../judge/explore/index.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { createFetch } from '../transports/fetch/create-fetch.ts'
import type { EmbeddedSimulator } from './embedded.ts'
import type { NamespaceHandle } from './namespace-handle.ts'
import { watchRun } from './watched-run.ts'

/**
 * How an explored client reaches the gateway: by another simulator in every run.
 *
 * @example
 * const makeKite = ({ fetch, sleep, baseUrl, key }: ExploredGateway) => {
 *   const client = new MyClient({ fetch, sleep, baseUrl, apiKey: key })
 *   return client.makeVideo('a red kite')
 * }
 * const { score } = await explore(makeKite, { only: ['slow 40s'] })
 * score // → 100
 */
export interface ExploredGateway {
  readonly fetch: typeof fetch
  /** Sleeps on the virtual clock, in milliseconds. */
  readonly sleep: (ms: number, options?: { signal?: AbortSignal }) => Promise<void>
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** A valid key. */
  readonly key: string
}

/**
 * One run of a client.
 *
 * @example
 * const ask: ExploredClient<string> = ({ fetch }) => new MyClient({ fetch }).ask('Why do kites fly?')
 * await explore(ask, { only: ['429'] }) // throws ExploreError: …
 */
export type ExploredClient<T> = (gateway: ExploredGateway) => T | Promise<T>

/** How to run a client again and again. */
export interface ExploredFunction<T> {
  readonly client: ExploredClient<T>
  readonly createSimulator: (scenario: Scenario) => EmbeddedSimulator
  /** Whether a value that the client returned reports a failure. */
  readonly isFailure: (value: T) => boolean
  /** Whether two values are the same result. Default: both look the same, apart from ids of tasks. */
  readonly isSame?: ((value: T, other: T) => boolean) | undefined
  /** Where requests of the client are judged. Default `default`. */
  readonly namespace?: string
  readonly baseUrl?: string
  /** Wraps the simulator of each run for `fetch`, such as to strip the path of the base URL. */
  readonly wrap?: (simulator: Simulator) => Simulator
  /** Called with what handles the requests of each run, before it begins. */
  readonly onRun?: (simulator: Simulator, fetch: typeof globalThis.fetch) => void
}

/** Where requests of the client come from, unless all of them are sent by the `fetch` that it is given. */
export type Reach = Pick<ExploredFunction<never>, 'namespace' | 'baseUrl' | 'wrap' | 'onRun'>

type ClientEnd = Pick<ClientRun, 'ended' | 'reason' | 'output' | 'hasCrashed'>
type End<T> = ClientEnd & { readonly value?: T }

/** The name under which the client sleeps and sends requests, so that the clock knows when it waits. */
const participant = 'client'

/** Runs a function against a simulator in this process. */
export function exploredFunction<T>(explored: ExploredFunction<T>): RunClient {
  const { namespace = 'default', isSame } = explored
  const distinct: T[] = []
  /** A result as a text: results that are the same have the same. */
  const describeResult = (value: T, taskIds: readonly string[]): string => {
    if (!isSame) return normalizeResult(value, taskIds, hashBytes)
    const known = distinct.findIndex((other) => isSame(value, other))
    return `result ${known < 0 ? distinct.push(value) : known + 1}`
  }
  return async (scenario, { signal, maxVirtualMs }) => {
    const sim = explored.createSimulator(scenario)
    const watched = watchRun(sim.core, namespace, scenario.expect ?? {})
    const run = new FunctionRun(sim, explored, { signal, maxVirtualMs })
    try {
      const { value, ended, reason, output, hasCrashed } = await run.play(explored)
      const verdict = await watched.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      const result = ended === 'succeeded' ? describeResult(value as T, ids) : ''
      return { ended, reason, output, hasCrashed, result, exchanges: run.journal(), verdict }
    } finally {
      run.stop()
      watched.stop()
      await sim.close()
    }
  }
}

/** How often a run is checked for a clock that can't move any more, in real time. */
const checkMs = 5

/** One run of the client from its start to its end. */
class FunctionRun {
  readonly #namespace: NamespaceHandle
  readonly #startMs: number
  readonly #maxVirtualMs: number
  /** The simulator, until the run is over: a client that gets no answer does nothing more. */
  readonly #gate: Simulator
  readonly #ended: Promise<ClientEnd>
  #end: (end: ClientEnd) => void = () => {}
  readonly #stopListening: () => void
  readonly #send: typeof fetch
  /** Of requests that their client gives up some time. */
  #deadlines: AbortController[] = []
  /** Of all requests, those that came by our `fetch`. */
  #requests = 0
  #fetched = 0
  #isOver = false
  /** The number of requests at the last check, if the clock stood still, and when deadlines were last brought on. */
  #stoodStillAt: number | undefined
  #givenUpAt: number | undefined
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined

  constructor(
    { core, namespace }: EmbeddedSimulator,
    { namespace: name = 'default', wrap = (simulator) => simulator }: Reach,
    { signal, maxVirtualMs }: Pick<RunOptions, 'signal' | 'maxVirtualMs'>,
  ) {
    this.#maxVirtualMs = maxVirtualMs
    this.#namespace = namespace(name)
    this.#startMs = this.#namespace.clock.now()
    this.#gate = {
      ...core,
      handle: (incoming) => (this.#mayGoOn(++this.#requests) ? core.handle(incoming) : never),
    }
    this.#send = createFetch(wrap(this.#gate))
    this.#ended = new Promise((resolve) => (this.#end = resolve))
    const interrupt = (): void => this.#end(endOf('endless', 'interrupted'))
    signal.addEventListener('abort', interrupt, { once: true })
    this.#stopListening = () => signal.removeEventListener('abort', interrupt)
    this.#checkLater()
  }

  journal = (): ClientRun['exchanges'] => this.#namespace.journal()

  async play<T>(explored: ExploredFunction<T>): Promise<End<T>> {
    const { client, isFailure, onRun, baseUrl = 'https://gateway.example' } = explored
    const { key } = this.#namespace
    onRun?.(this.#gate, this.#fetch)
    const played = Promise.resolve()
      .then(() => client({ fetch: this.#fetch, sleep: this.#sleep, baseUrl, key }))
      .then(
        (value): End<T> =>
          isFailure(value)
            ? endOf('failed', 'it returned a failure', JSON.stringify(value) ?? '')
            : { ...endOf('succeeded', ''), value },
        (error: unknown): End<T> => ({
          ...endOf('failed', messageOf(error), messageOf(error)),
          hasCrashed: isCrash(error),
        }),
      )
    return Promise.race([played, this.#ended])
  }

  /** From now on a client that is still at work gets no answer. */
  stop(): void {
    this.#isOver = true
    this.#stopListening()
    hostTimers.clearTimeout(this.#timer)
  }

  readonly #fetch: typeof fetch = (input, init) => {
    this.#fetched++
    const given = input instanceof Request ? input : undefined
    const headers = new Headers(init?.headers ?? given?.headers)
    headers.set('x-greenroom-as', participant)
    // A Request always has a signal, so whether its caller set a deadline is not known.
    const own = init?.signal ?? given?.signal
    if (!own) return this.#whileRunning(this.#send(input, { ...init, headers }))
    const deadline = new AbortController()
    this.#deadlines.push(deadline)
    const signal = AbortSignal.any([own, deadline.signal])
    return this.#whileRunning(this.#send(input, { ...init, headers, signal }))
  }

  readonly #sleep: ExploredGateway['sleep'] = (ms, options = {}) => {
    if (!this.#mayGoOn(this.#requests)) return never
    // Time waits for a participant as long as it works. A client that never sleeps on this clock must not stop it.
    const { clock } = this.#namespace
    if (!clock.status().participants.names.includes(participant)) clock.join(participant)
    return this.#whileRunning(clock.sleep(ms, { ...options, as: participant }))
  }

  /** Passes on what happens during the run only. */
  async #whileRunning<T>(work: Promise<T>): Promise<T> {
    try {
      const value = await work
      return this.#isOver ? await never : value
    } catch (error) {
      if (this.#isOver) return never
      throw error
    }
  }

  #mayGoOn(requests: number): boolean {
    if (this.#isOver) return false
    const passedMs = this.#namespace.clock.now() - this.#startMs
    const bound =
      requests > maxRequests
        ? `${maxRequests} requests`
        : passedMs > this.#maxVirtualMs
          ? `${formatDuration(this.#maxVirtualMs)} of virtual time`
          : undefined
    if (bound === undefined) return true
    this.#isOver = true
    this.#end(endOf('endless', `more than ${bound}`))
    return false
  }

  #checkLater(): void {
    this.#timer = hostTimers.setTimeout(() => {
      this.#check()
      if (!this.#isOver) this.#checkLater()
    }, checkMs)
  }

  /**
   * A clock on which everything waits forever stands still. Deadlines of the client are in real time, which exploring doesn't
   * wait for: they pass there. A client without one hangs.
   */
  #check(): void {
    const { waiters, nextWaiter, participants, why } = this.#namespace.clock.status()
    const standsStill = waiters > 0 && nextWaiter === null && participants.parked >= participants.expected
    const isNew = this.#stoodStillAt !== this.#requests
    this.#stoodStillAt = standsStill ? this.#requests : undefined
    if (!standsStill || isNew) return
    if (this.#deadlines.length === 0 || this.#givenUpAt === this.#requests) {
      // Whether a request that was intercepted has a deadline is not known, so the client gets the benefit of the doubt.
      if (this.#requests > this.#fetched) this.#end(endOf('failed', 'no response came in time'))
      this.#end(endOf('hung', `nothing can wake the client: ${why}`))
      return
    }
    this.#givenUpAt = this.#requests
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    for (const deadline of this.#deadlines) deadline.abort(reason)
    this.#deadlines = []
  }
}

const never = new Promise<never>(() => {})

function endOf(ended: ClientRun['ended'], reason: string, output = ''): ClientEnd {
  return { ended, reason, output, hasCrashed: false }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Mistakes of a program. A `fetch` that fails rejects with a TypeError, too. */
function isCrash(error: unknown): boolean {
  if (error instanceof ReferenceError || error instanceof RangeError) return true
  if (!(error instanceof TypeError)) return false
  return !/^(?:fetch failed|terminated|Failed to fetch|NetworkError|Load failed)/.test(error.message)
}

const latin1 = new TextDecoder('latin1')
const hashBytes = (bytes: Uint8Array): string => hash128Hex(latin1.decode(bytes))
