import { recognizeCopies } from '../engine/shared-error.ts'
import type { Finding } from '../judge/explore/index.ts'
import type { LoadedScenario } from '../scenario/files/types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

/**
 * The options of {@link explore}.
 *
 * @example
 * const options: ExploreOptions = { only: ['video.*'], skip: ['slowness'], budget: '20s', depth: 2 }
 */
export interface ExploreOptions<T = unknown> {
  /** Only these operations (`video.*`), families (`rate limit`) or faults (`503`). Default: all. */
  only?: readonly string[]
  /** None of these operations, families or faults. */
  skip?: readonly string[]
  /** Keys of findings that fail nothing, as the error lists them. */
  accept?: readonly string[]
  /** Real time in which runs begin: a duration such as `20s`, or milliseconds. Default: no limit. */
  budget?: string | number
  /** Whether flaky findings fail, and a budget that ends before everything was tried. Default false. */
  strict?: boolean
  /** 2 also tries pairs of faults that the client survived. Default 1. */
  depth?: 1 | 2
  /** How many runs share the process at a time. Default 1: more is only faster if your client waits in real time. */
  jobs?: number
  /** The seed of every run. Default 1. */
  seed?: number | string
  /** What holds in every run, such as keys, models or prices. Its rules stand behind the injected faults. */
  scenario?: LoadedScenario | Scenario
  /** Whether a value reports a failure, for clients that return failures instead of throwing. */
  isFailure?: (value: T) => boolean
  /** Whether two values are the same result. By default both are compared as JSON, bytes included, without ids of tasks. */
  equal?: (value: T, other: T) => boolean
}

/**
 * The client has a bug: {@link explore} found what the gateway may do that it does not take well. The message is the report,
 * with a scenario for each finding.
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
