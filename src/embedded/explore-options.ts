import { recognizeCopies } from '../engine/shared-error.ts'
import type { Finding } from '../judge/explore/index.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

/**
 * How an explored client reaches the gateway. Every run has a new simulator.
 *
 * @example
 * const makeKite = ({ fetch, sleep, baseUrl, key }: ExploredGateway) => {
 *   const client = new MyClient({ fetch, sleep, baseUrl, apiKey: key })
 *   return client.makeVideo('a red kite')
 * }
 * const { score } = await explore(makeKite, { only: ['slow 40s'] })
 * score // → 100
 */
export interface ExploredGateway<Store = undefined> {
  readonly fetch: typeof fetch
  /** Sleeps on the virtual clock, in milliseconds. */
  readonly sleep: (ms: number, options?: { signal?: AbortSignal } | AbortSignal) => Promise<void>
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string
  /** A valid key. */
  readonly key: string
  /** What survives a crash, from the option `createStore`. */
  readonly store: Store
}

/**
 * One run of a client.
 *
 * @example
 * const ask: ExploredClient<string> = ({ fetch }) => new MyClient({ fetch }).ask('Why do kites fly?')
 * await explore(ask, { only: ['429'] }) // throws ExploreError: …
 */
export type ExploredClient<T, Store = undefined> = (gateway: ExploredGateway<Store>) => T | Promise<T>

/**
 * The options of {@link explore}.
 *
 * @example
 * const options: ExploreOptions = { only: ['video.*'], skip: ['slowness'], budget: '20s', depth: 2 }
 */
export interface ExploreOptions<T = unknown, Store = undefined> {
  /**
   * Creates the store that survives a crash, such as a `Map`, one for each run. If it is set, exploration also crashes the
   * client at each request: it calls the client again with the same store, and requests of the earlier call get no response.
   */
  createStore?: () => Store
  /** Tries only these operations (`video.*`), families (`rate limit`) or faults (`503`). Default: all. */
  only?: readonly string[]
  /** Skips these operations, families or faults. */
  skip?: readonly string[]
  /** Keys of accepted findings, which fail nothing. The error lists the keys. */
  accept?: readonly string[]
  /** The real time in which runs may begin: a duration such as `20s`, or milliseconds. Default: no limit. */
  budget?: string | number
  /** Whether to fail for flaky findings, and if something was not tried or not judged. Default false. */
  strict?: boolean
  /** 2 also tries pairs of faults that the client survived one by one. Default 1. */
  depth?: 1 | 2
  /** How many runs share the process at a time. Default 1: more helps only if your client waits in real time. */
  jobs?: number
  /** The seed of every run. Default 1. */
  seed?: number | string
  /** The scenario of every run, such as its keys, models or prices. Injected faults override its rules. */
  scenario?: LoadedScenario | Scenario
  /** Whether a value reports a failure, for clients that return failures instead of throwing them. */
  isFailure?: (value: T) => boolean
  /** Whether two values are the same result. By default, both are compared as JSON, bytes included, without ids of tasks. */
  equal?: (value: T, other: T) => boolean
}

/**
 * Thrown by {@link explore} if the client has a bug: it misbehaved when the gateway failed in some way. The message is the
 * report, with a scenario for each finding.
 *
 * @example
 * const client = ({ fetch, sleep }: ExploredGateway) => new MyClient({ fetch, sleep }).makeVideo('a red kite')
 * const error = await explore(client, { only: ['corrupt'] }).catch((error: ExploreError) => error)
 * error.findings[0]!.sentence // → 'The client keeps a damaged download (video.content).'
 */
export class ExploreError extends Error {
  static {
    recognizeCopies(this, 'ExploreError')
  }

  override name = 'ExploreError'
  /** The new findings, worst first. */
  readonly findings: readonly Finding[]

  constructor(message: string, findings: readonly Finding[]) {
    super(message)
    this.findings = findings
    // The call stack would be noise.
    this.stack = `${this.name}: ${message}`
  }
}
