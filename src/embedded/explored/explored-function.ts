import { formatDuration } from '../../engine/clock/duration.ts'
import { hash128Hex } from '../../engine/random/hash.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { twoTurns } from '../../engine/clock/timers/steps.ts'
import { CrashPlan, type Crash } from '../../gateway/crash-plan.ts'
import {
  endOf as clientEndOf,
  maxRequests,
  normalizeResult,
  type ClientRun,
  type RunClient,
  type RunOptions,
} from '../../judge/explore/index.ts'
import { watchToolLoops } from '../../judge/index.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { createFetch } from '../../transports/fetch/create-fetch.ts'
import type { EmbeddedSimulator } from '../embedded.ts'
import { optionsOfSleep } from '../clock-handle.ts'
import type { ExploredClient, ExploredGateway } from '../explore-options.ts'
import type { NamespaceHandle } from '../namespace-handle.ts'
import { RequestDeadlines } from './request-deadlines.ts'
import { replaceDate } from './run-date.ts'
import { watchRun } from '../watched-run.ts'

/** How to run a client repeatedly. */
interface ExploredFunction<T> {
  readonly client: ExploredClient<T, never>
  /** Creates what survives the crashes of a run. */
  readonly createStore?: (() => unknown) | undefined
  readonly createSimulator: (scenario: Scenario) => EmbeddedSimulator
  /** Whether a returned value reports a failure. */
  readonly isFailure: (value: T) => boolean
  /** Whether two values are the same result. By default, their JSON is compared, without ids of tasks. */
  readonly isSame?: ((value: T, other: T) => boolean) | undefined
  /** The namespace in which the client's requests are judged. Default `default`. */
  readonly namespace?: string
  readonly baseUrl?: string
  /** Wraps the simulator of each run for `fetch`, such as to remove the path of the base URL. */
  readonly wrap?: (simulator: Simulator) => Simulator
  /** Called before each run, with the simulator and the `fetch` that handle its requests. */
  readonly onRun?: (simulator: Simulator, fetch: typeof globalThis.fetch) => void
}

/** How requests of the client arrive, unless all of them use the given `fetch`. */
export type Reach = Pick<ExploredFunction<never>, 'namespace' | 'baseUrl' | 'wrap' | 'onRun'>

type ClientEnd = Pick<ClientRun, 'ended' | 'reason' | 'output' | 'hasCrashed'>
type End<T> = ClientEnd & { readonly value?: T }

/** The name with which the client sleeps and sends requests, so that the clock knows when it waits. */
const participant = 'client'

/** Runs a function against a simulator in this process. */
export function exploredFunction<T>(explored: ExploredFunction<T>): RunClient {
  const { namespace = 'default', isSame } = explored
  const distinct: T[] = []
  /** A result as a text. Equal results have equal texts. */
  const describeResult = (value: T, taskIds: readonly string[]): string => {
    if (!isSame) return normalizeResult(value, taskIds, hashBytes)
    const known = distinct.findIndex((other) => isSame(value, other))
    return `result ${known < 0 ? distinct.push(value) : known + 1}`
  }
  return async ({ crash: crashes = [], ...scenario }, { signal, maxVirtualMs }) => {
    const sim = explored.createSimulator(scenario as Scenario)
    let clientEnd: ClientRun['ended'] | undefined
    const watched = watchRun(sim.core, namespace, scenario.expect ?? {}, {
      end: () => clientEndOf(clientEnd),
    })
    const run = new FunctionRun(sim, explored, {
      signal,
      maxVirtualMs,
      crashes,
      onRestart: watched.restarted,
    })
    try {
      const { value, ...end } = await run.play(explored)
      clientEnd = end.ended
      const verdict = await watched.verdict()
      const ids = verdict.tasks.map(({ id }) => id)
      const result = end.ended === 'succeeded' ? describeResult(value as T, ids) : ''
      const { operations } = sim.core
      return { ...end, ...run.read(), result, operations, verdict }
    } finally {
      run.stop()
      watched.stop()
      await sim.close()
    }
  }
}

/** How often, in real time, a run is checked for a clock that can't move any more. */
const checkMs = 5

/** One call of the client. After a crash, it gets no more responses. */
interface Life {
  isOver: boolean
  readonly left: AbortController
}

const newLife = (): Life => ({ isOver: false, left: new AbortController() })

/** One run of the client from start to end. */
class FunctionRun {
  readonly #namespace: NamespaceHandle
  readonly #startMs: number
  readonly #maxVirtualMs: number
  /** The simulator until the run is over. Later requests get no response, so the client does nothing more. */
  readonly #gate: Simulator
  readonly #ended: Promise<ClientEnd>
  #end: (end: ClientEnd) => void = () => {}
  readonly #stopListening: () => void
  readonly #send: typeof fetch
  readonly #date: ReturnType<typeof replaceDate> | undefined
  /** The deadlines after which the client may give up its requests. */
  readonly #deadlines = new RequestDeadlines()
  readonly #plan: CrashPlan
  #onCrash: () => Promise<void> = async () => {}
  /** How many of all requests came through our `fetch`. */
  #requests = 0
  #fetched = 0
  #isOver = false
  /** The number of requests at the last check if the clock had stopped, and when deadlines were last made to pass. */
  #stoodStillAt: number | undefined
  #givenUpAt: number | undefined
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined

  constructor(
    { core: simulator, namespace }: EmbeddedSimulator,
    { namespace: name = 'default', wrap = (simulator) => simulator }: Reach,
    {
      signal,
      maxVirtualMs,
      crashes,
      onRestart,
    }: Pick<RunOptions, 'signal' | 'maxVirtualMs'> & {
      readonly crashes: readonly Crash[]
      readonly onRestart: () => void
    },
  ) {
    this.#plan = new CrashPlan(crashes, () => {
      void this.#onCrash().then(() => {
        onRestart()
        this.#plan.restart()
        this.#plan.resume()
      })
    })
    const space = simulator.namespaces.get(name)
    if (crashes.length > 0) space.crashes = this.#plan
    const stopToolLoops = watchToolLoops(space.journal, (why) => this.#endAsEndless(why))
    this.#maxVirtualMs = maxVirtualMs
    this.#namespace = namespace(name)
    const { clock } = this.#namespace
    this.#startMs = clock.now()
    this.#date = this.#isVirtual ? replaceDate(() => clock.now()) : undefined
    this.#gate = {
      ...simulator,
      handle: (incoming) => (this.#mayContinue(++this.#requests) ? simulator.handle(incoming) : never),
    }
    this.#send = createFetch(wrap(this.#gate))
    this.#ended = new Promise((resolve) => (this.#end = resolve))
    const interrupt = (): void => this.#end(endOf('endless', 'interrupted'))
    signal.addEventListener('abort', interrupt, { once: true })
    this.#stopListening = () => {
      signal.removeEventListener('abort', interrupt)
      stopToolLoops()
    }
    this.#checkLater()
  }

  /** What happened in the run so far. */
  read(): Pick<ClientRun, 'exchanges' | 'crashes' | 'hasRealTimeouts' | 'mayEndLater'> {
    // The time-outs of requests that did not come through our `fetch` are unknown.
    const hasRealTimeouts = this.#isVirtual && (this.#deadlines.hasReal || this.#requests > this.#fetched)
    // In a page, a deadline by `Date` passes in real time.
    const mayEndLater = this.#isVirtual && (this.#deadlines.hasShared || this.#date === undefined)
    return { exchanges: this.#namespace.journal(), crashes: this.#plan.past, hasRealTimeouts, mayEndLater }
  }

  get #isVirtual(): boolean {
    return !['real', 'host'].includes(this.#namespace.clock.status().mode)
  }

  async play<T>(explored: ExploredFunction<T>): Promise<End<T>> {
    const { client, isFailure, onRun, baseUrl = 'https://gateway.example' } = explored
    const { key } = this.#namespace
    const store = explored.createStore?.() as never
    let life = newLife()
    onRun?.(this.#gate, (input, init) => this.#fetch(life, input, init))
    return new Promise((resolve) => {
      const call = async (own: Life): Promise<void> => {
        const fetch: typeof globalThis.fetch = (input, init) => this.#fetch(own, input, init)
        const sleep: ExploredGateway['sleep'] = (ms, options) => this.#sleep(own, ms, options)
        const callIt = (): T | Promise<T> => client({ fetch, sleep, baseUrl, key, store })
        const end = await callClient(() => (this.#date ? this.#date.within(callIt) : callIt()), isFailure)
        if (!own.isOver) resolve(end)
      }
      this.#onCrash = async () => {
        life.isOver = true
        life.left.abort()
        this.#deadlines.clear()
        // Within these turns, the simulator notices that the client has left its requests.
        await twoTurns()
        const next = (life = newLife())
        hostTimers.setImmediate(() => void call(next))
      }
      void this.#ended.then(resolve)
      void call(life)
    })
  }

  /** Stops the run: a client that is still at work gets no response from now on. */
  stop(): void {
    this.#isOver = true
    this.#stopListening()
    this.#date?.end()
    hostTimers.clearTimeout(this.#timer)
  }

  readonly #fetch = (life: Life, input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    if (life.isOver) return never
    this.#fetched++
    const given = input instanceof Request ? input : undefined
    const headers = new Headers(init?.headers ?? given?.headers)
    headers.set('x-greenroom-as', participant)
    // A Request always has a signal, so it is unknown whether its caller set a deadline.
    const own = init?.signal ?? given?.signal
    const { signal: left } = life.left
    if (!own) return this.#whileRunning(life, this.#send(input, { ...init, headers, signal: left }))
    const sent = this.#deadlines.send({ own, left }, (signal) =>
      this.#send(input, { ...init, headers, signal }),
    )
    return this.#whileRunning(life, sent)
  }

  readonly #sleep = (
    life: Life,
    ms: number,
    options: { signal?: AbortSignal } | AbortSignal = {},
  ): Promise<void> => {
    if (life.isOver || !this.#mayContinue(this.#requests)) return never
    // Time waits for a participant as long as it works. So a client that never sleeps on this clock must not be one.
    const { clock } = this.#namespace
    if (!clock.status().participants.names.includes(participant)) clock.join(participant)
    const { signal: own = life.left.signal } = optionsOfSleep(options)
    const signal = AbortSignal.any([life.left.signal, own])
    const slept = this.#deadlines.sleep(clock.sleep(ms, { signal, as: participant }))
    return this.#whileRunning(life, slept)
  }

  /** Resolves only while the run lasts, so that a client does nothing after its end. */
  async #whileRunning<T>(life: Life, work: Promise<T>): Promise<T> {
    try {
      const value = await work
      return this.#isOver || life.isOver ? await never : value
    } catch (error) {
      if (this.#isOver || life.isOver) return never
      throw error
    }
  }

  #mayContinue(requests: number): boolean {
    if (this.#isOver) return false
    const passedMs = this.#namespace.clock.now() - this.#startMs
    const bound =
      requests > maxRequests
        ? `${maxRequests} requests`
        : passedMs > this.#maxVirtualMs
          ? `${formatDuration(this.#maxVirtualMs)} of virtual time`
          : undefined
    if (bound === undefined) return true
    this.#endAsEndless(`more than ${bound}`)
    return false
  }

  #endAsEndless(why: string): void {
    this.#isOver = true
    this.#end(endOf('endless', why))
  }

  #checkLater(): void {
    this.#timer = hostTimers.setTimeout(() => {
      this.#check()
      if (!this.#isOver) this.#checkLater()
    }, checkMs)
  }

  /**
   * Checks whether everything on the clock waits forever. The client's deadlines are in real time, which exploring doesn't
   * wait for, so they pass now. A client without a deadline hangs.
   */
  #check(): void {
    const { waiters, nextWaiter, participants, why } = this.#namespace.clock.status()
    const standsStill = waiters > 0 && nextWaiter === null && participants.parked >= participants.expected
    const isNew = this.#stoodStillAt !== this.#requests
    this.#stoodStillAt = standsStill ? this.#requests : undefined
    if (!standsStill || isNew) return
    if (this.#deadlines.isEmpty || this.#givenUpAt === this.#requests) {
      // An intercepted request may have a deadline that is unknown here, so the client counts as failed, not as hung.
      if (this.#requests > this.#fetched) this.#end(endOf('failed', 'no response came in time'))
      this.#end(endOf('hung', `nothing can wake the client: ${why}`))
      return
    }
    this.#givenUpAt = this.#requests
    this.#deadlines.pass()
  }
}

/** Calls the client once. @returns how it ended. */
async function callClient<T>(call: () => T | Promise<T>, isFailure: (value: T) => boolean): Promise<End<T>> {
  try {
    const value = await call()
    return isFailure(value)
      ? endOf('failed', 'it returned a failure', JSON.stringify(value) ?? '')
      : { ...endOf('succeeded', ''), value }
  } catch (error) {
    return { ...endOf('failed', messageOf(error), messageOf(error)), hasCrashed: isCrash(error) }
  }
}

const never = new Promise<never>(() => {})

function endOf(ended: ClientRun['ended'], reason: string, output = ''): ClientEnd {
  return { ended, reason, output, hasCrashed: false }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether an error is a mistake of the program. A failed `fetch` also rejects with a TypeError. */
function isCrash(error: unknown): boolean {
  if (error instanceof ReferenceError || error instanceof RangeError) return true
  if (!(error instanceof TypeError)) return false
  return !/^(?:fetch failed|terminated|Failed to fetch|NetworkError|Load failed)/.test(error.message)
}

const latin1 = new TextDecoder('latin1')
const hashBytes = (bytes: Uint8Array): string => hash128Hex(latin1.decode(bytes))
