import { hash128Hex } from '../engine/random/hash.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import {
  maxRequests,
  maxVirtualMs,
  normalizeResult,
  type ClientRun,
  type RunClient,
} from '../judge/explore/index.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import type { EmbeddedSimulator } from './embedded.ts'

/**
 * What an explored client reaches the gateway by: one of its own in every run.
 *
 * @example
 * await explore(({ fetch, sleep, baseUrl, key }: ExploredGateway) => {
 *   const client = new MyClient({ fetch, sleep, baseUrl, apiKey: key })
 *   return client.makeVideo('a red kite')
 * }, { only: ['server error'] })
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

/** One run of a client. */
export type ExploredClient<T> = (gateway: ExploredGateway) => Promise<T>

/** How to run a client again and again. */
export interface ExploredFunction<T> {
  readonly client: ExploredClient<T>
  readonly createSimulator: (scenario: Scenario) => EmbeddedSimulator
  /** Whether a value that the client returned reports a failure. */
  readonly isFailure: (value: T) => boolean
  /** Whether two values are the same result. Default: both look the same, apart from ids of tasks. */
  readonly isSame?: ((value: T, other: T) => boolean) | undefined
}

type ClientEnd = Pick<ClientRun, 'ended' | 'reason' | 'output' | 'hasCrashed'>
type End<T> = ClientEnd & { readonly value?: T }

/** The name under which the client sleeps and sends requests, so that the clock knows when it waits. */
const participant = 'client'

/** Runs a function against a simulator in this process. */
export function exploredFunction<T>(explored: ExploredFunction<T>): RunClient {
  const distinct: T[] = []
  /** A result as a text: results that are the same have the same. */
  const describeResult = (value: T, taskIds: readonly string[]): string => {
    const { isSame } = explored
    if (!isSame) return normalizeResult(value, taskIds, hashBytes)
    const known = distinct.findIndex((other) => isSame(value, other))
    return `result ${known < 0 ? distinct.push(value) : known + 1}`
  }
  return async (scenario, { signal }) => {
    const sim = explored.createSimulator(scenario)
    const run = new FunctionRun(sim)
    try {
      const end = await run.play(explored, signal)
      const verdict = await sim.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      const result = end.ended === 'succeeded' ? describeResult(end.value as T, ids) : ''
      const { ended, reason, output, hasCrashed } = end
      return { ended, reason, output, hasCrashed, result, exchanges: sim.journal(), verdict }
    } finally {
      run.stop()
      await sim.close()
    }
  }
}

/** How often a run is checked for a clock that can't move any more, in real time. */
const checkMs = 5

/** One run of the client from its start to its end. */
class FunctionRun {
  readonly #sim: EmbeddedSimulator
  readonly #startMs: number
  /** Of requests whose client gives them up some time. */
  readonly #deadlines: AbortController[] = []
  #requests = 0
  #isOver = false
  #end: (end: ClientEnd) => void = () => {}
  /** The number of requests at the last check that found the clock at a standstill. */
  #stoodStillAt: number | undefined
  /** The number of requests when deadlines were last brought on. */
  #givenUpAt: number | undefined
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined

  constructor(sim: EmbeddedSimulator) {
    this.#sim = sim
    this.#startMs = sim.clock.now()
    this.#checkLater()
  }

  async play<T>({ client, isFailure }: ExploredFunction<T>, signal: AbortSignal): Promise<End<T>> {
    const stopped = new Promise<ClientEnd>((resolve) => {
      this.#end = resolve
      signal.addEventListener('abort', () => resolve(endOf('endless', 'interrupted')), { once: true })
    })
    const gateway: ExploredGateway = {
      fetch: this.#fetch,
      sleep: this.#sleep,
      baseUrl: 'https://gateway.example',
      key: this.#sim.key,
    }
    const played = Promise.resolve()
      .then(() => client(gateway))
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
    return Promise.race([played, stopped])
  }

  /** From now on a client that is still at work gets no answer. */
  stop(): void {
    this.#isOver = true
    hostTimers.clearTimeout(this.#timer)
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    if (this.#isBeyondBounds(++this.#requests)) return never
    const controller = new AbortController()
    // A Request always has a signal, so whether it has a deadline is not known.
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    if (own) this.#deadlines.push(controller)
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    headers.set('x-greenroom-as', participant)
    const signals = own ? [own, controller.signal] : []
    const signal = own ? { signal: AbortSignal.any(signals) } : {}
    return this.#whileRunning(this.#sim.fetch(input, { ...init, headers, ...signal }))
  }

  readonly #sleep: ExploredGateway['sleep'] = async (ms, options = {}) => {
    if (this.#isBeyondBounds(this.#requests)) return never
    // A participant is waited for as long as it takes. One that never sleeps must not stop time.
    const { clock } = this.#sim
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

  #isBeyondBounds(requests: number): boolean {
    const passedMs = this.#sim.clock.now() - this.#startMs
    if (requests > maxRequests) this.#end(endOf('endless', `more than ${maxRequests} requests`))
    else if (passedMs > maxVirtualMs)
      this.#end(endOf('endless', `more than ${maxVirtualMs / 3_600_000} hours of virtual time`))
    else return this.#isOver
    this.#isOver = true
    return true
  }

  #checkLater(): void {
    this.#timer = hostTimers.setTimeout(() => {
      this.#check()
      if (!this.#isOver) this.#checkLater()
    }, checkMs)
  }

  /**
   * A clock on which everything waits forever stands still. The deadlines of a client are real time, for which exploring
   * doesn't wait: they pass there. A client without one hangs.
   */
  #check(): void {
    const { waiters, nextWaiter, participants, why } = this.#sim.clock.status()
    const standsStill = waiters > 0 && nextWaiter === null && participants.parked >= participants.expected
    const isNew = this.#stoodStillAt !== this.#requests
    this.#stoodStillAt = standsStill ? this.#requests : undefined
    if (!standsStill || isNew) return
    if (this.#deadlines.length === 0 || this.#givenUpAt === this.#requests) {
      this.#end(endOf('hung', `nothing can wake the client: ${why}`))
      return
    }
    this.#givenUpAt = this.#requests
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    for (const controller of this.#deadlines.splice(0)) controller.abort(reason)
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
