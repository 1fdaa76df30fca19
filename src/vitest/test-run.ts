import { isObject } from '../engine/is-object.ts'
import type { EmbeddedOptions } from '../embedded/create-simulator.ts'
import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import type { ExploredClient, ExploreOptions } from '../embedded/explore-options.ts'
import type { Reach } from '../embedded/explored/explored-function.ts'
import type { Exploration } from '../judge/explore/index.ts'
import { createFetch } from '../transports/fetch/create-fetch.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { printWarning } from '../simulator/options.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { keysOf } from '../scenario/schema/schema-walk.ts'
import { expectSchema } from '../scenario/vocabulary/expect-schema.ts'
import { invariantNames, runningInvariants, type Verdict, readTrace } from '../judge/index.ts'
import type { Expect, Scenario } from '../scenario/vocabulary/types.ts'
import {
  describeFailures,
  VerdictError,
  watchRun,
  type RunNames,
  type WatchedRun,
} from '../embedded/watched-run.ts'
import { ofTest, withFailure, type SaveReport } from '../embedded/failure-report.ts'
import { RealSleep } from './timeout.ts'
import { findUnfinishedWork, untilIdle, Waits } from './unfinished-work.ts'
import type { TestGateway } from './test-gateway.ts'
import { GreenroomError } from './options.ts'

/** The default expectations of every test. */
export const defaultExpect: Expect = { always: [...runningInvariants], allow: { notExercised: true } }

/** Merges expectations. Lists and mappings are combined; otherwise the second one wins. */
export function mergeExpect(one: Expect, other: Expect): Expect {
  const entries = Object.entries(other).map(([name, value]) => {
    const before: unknown = one[name as keyof Expect]
    if (Array.isArray(before) && Array.isArray(value)) return [name, [...before, ...value]]
    return [name, isObject(before) && isObject(value) ? { ...before, ...value } : value]
  })
  return { ...one, ...(Object.fromEntries(entries) as Expect) }
}

/** The start values of a test. */
interface TestStart {
  readonly simulator: EmbeddedSimulator
  readonly namespace: string
  /** The URL of the gateway, without the namespace. */
  readonly baseUrl: string
  readonly expect: Expect
  readonly names: RunNames
  readonly createSimulator: (options: EmbeddedOptions) => EmbeddedSimulator
  /** The file, the suites and the name of the test. */
  readonly path: readonly string[]
  readonly saveReport: SaveReport | undefined
}

/** A test from its start to its verdict. */
export class TestRun {
  readonly gateway: TestGateway
  /** Requests during this test that belong to none of the running tests. */
  strays = 0
  /** The simulator of the present run, while the test explores its client. */
  diverted: Simulator | undefined
  /** Why the test timed out; undefined if it did not. */
  timeout: string | undefined
  /** Measures how long the client sleeps in real time. */
  realSleep: RealSleep
  readonly #start: TestStart
  readonly #expectedFailures = new Set<string>()
  readonly #waits = new Waits()
  #expect: Expect
  #watch: WatchedRun
  #isJudged = true

  /** @throws {PatternError} {DurationError} for an invalid expectation. */
  constructor(start: TestStart) {
    const { simulator, namespace } = start
    this.#start = start
    this.#expect = start.expect
    const handle = simulator.namespace(namespace)
    this.#watch = this.#startWatch()
    this.realSleep = this.#watchSleep()
    const waits = this.#waits
    this.gateway = {
      ...handle,
      clock: {
        ...handle.clock,
        advance: (...args) => waits.follow('gateway.clock.advance()', handle.clock.advance(...args)),
        advanceUntil: (...args) =>
          waits.follow('gateway.clock.advanceUntil()', handle.clock.advanceUntil(...args)),
      },
      simulator,
      baseUrl: `${start.baseUrl}/ns/${namespace}`,
      fetch: createFetch(this.#reach(simulator.core)),
      reset: () => {
        this.#watch.stop()
        this.realSleep.stop()
        handle.reset()
        this.#watch = this.#startWatch()
        this.realSleep = this.#watchSleep()
      },
      expect: (more) => {
        this.#expect = mergeExpect(this.#expect, more)
        this.#watch.stop()
        this.#watch = this.#startWatch()
      },
      expectFailure: (...what) => {
        what.forEach(checkFailureName)
        for (const each of what) this.#expectedFailures.add(each)
      },
      skipVerdict: () => {
        this.#isJudged = false
      },
      idle: () =>
        waits.follow('gateway.idle()', untilIdle(simulator, simulator.core.namespaces.get(namespace)), {
          mayHang: true,
        }),
      verdict: () => waits.follow('gateway.verdict()', this.#watch.verdict()),
      explore: (client, options = {}) => waits.follow('gateway.explore()', this.#explore(client, options)),
    }
  }

  /** @throws {VerdictError} if the verdict is not the expected one. */
  async judge(): Promise<void> {
    await this.#warnOfUnfinishedWork()
    if (!this.#isJudged) return
    const verdict = await this.#watch.verdict()
    const problem = this.#findProblem(verdict) ?? (this.strays > 0 ? describeStrays(this.strays) : undefined)
    if (problem === undefined) return
    const line = this.#report(verdict)
    throw new VerdictError(line === undefined ? problem : `${problem}\n\n${line}`)
  }

  /** A client may go on in the background on purpose, so this fails no test. */
  async #warnOfUnfinishedWork(): Promise<void> {
    const { simulator, namespace, path } = this.#start
    const work = await findUnfinishedWork(simulator.core.namespaces.get(namespace), this.#waits)
    if (work !== undefined) printWarning(`the test "${path.at(-1) ?? ''}" ended ${work}`)
  }

  /**
   * Reports a failure of the test itself.
   * @returns a line for its message; undefined if no reports were requested.
   */
  async report(message: string): Promise<string | undefined> {
    return this.#start.saveReport && this.#report(withFailure(await this.#watch.verdict(), message))
  }

  #report(verdict: Verdict): string | undefined {
    const { simulator, namespace, path, saveReport } = this.#start
    const named = ofTest(verdict, { path, runner: 'npx vitest run' })
    return saveReport?.(namespace, { verdict: named, trace: readTrace(simulator.core, namespace) })
  }

  /** Removes the namespace with its content. */
  end(): void {
    const { simulator, namespace } = this.#start
    const { control, rules, namespaces } = simulator.core
    this.#watch.stop()
    this.realSleep.stop()
    control.clear(namespace, { journal: true, tasks: true })
    rules.removeOf(namespace)
    namespaces.remove(namespace)
  }

  /** Only one exploration runs at a time, because all runs have the URL of the test. */
  async #explore<T, Store>(
    client: ExploredClient<T, Store>,
    options: ExploreOptions<T, Store>,
  ): Promise<Exploration> {
    const { namespace, baseUrl: base, createSimulator } = this.#start
    const baseUrl = `${base}/ns/${namespace}`
    const { exploreClient } = await import('../embedded/explore.ts')
    const { fetch } = globalThis
    let send: typeof globalThis.fetch | undefined
    // A client that calls the global fetch gets a `fetch` that makes its deadlines pass. MSW diverts other clients.
    globalThis.fetch = (input, init) => {
      const isOurs = String(input instanceof Request ? input.url : input).startsWith(`${baseUrl}/`)
      return (isOurs && send ? send : fetch)(input, init)
    }
    const reach: Reach = {
      namespace,
      baseUrl,
      wrap: (simulator) => this.#reach(simulator),
      onRun: (simulator, sending) => {
        this.diverted = withNamespace(simulator, () => namespace)
        send = sending
      },
    }
    try {
      const media = { ...this.#start.simulator.core.media, close: async () => {} }
      const create = (scenario: Scenario): EmbeddedSimulator => createSimulator({ scenario, media })
      return await exploreClient(client, { ...options, jobs: 1 }, create, reach)
    } finally {
      globalThis.fetch = fetch
      this.diverted = undefined
    }
  }

  /** A simulator that takes all requests for those of this test. */
  #reach(simulator: Simulator): Simulator {
    const { namespace, baseUrl } = this.#start
    return belowBase(
      baseUrl,
      withNamespace(simulator, () => namespace),
    )
  }

  #startWatch(): WatchedRun {
    const { simulator, namespace, names } = this.#start
    return watchRun(simulator.core, namespace, this.#expect, names)
  }

  #watchSleep(): RealSleep {
    const { simulator, namespace } = this.#start
    return new RealSleep(simulator.core.namespaces.get(namespace).journal)
  }

  #findProblem(verdict: Verdict): string | undefined {
    const failed = verdict.results.filter(({ fails }) => fails)
    const isExpected = ({ path, title }: { path: string; title: string }): boolean =>
      [...this.#expectedFailures].some((what) => path === what || title === `always: ${what}`)
    const missing = [...this.#expectedFailures].filter(
      (what) => !failed.some(({ path, title }) => path === what || title === `always: ${what}`),
    )
    const unexpected = failed.filter((result) => !isExpected(result))
    if (unexpected.length > 0) {
      const results = verdict.results.filter((result) => !isExpected(result))
      return describeFailures({ ...verdict, results }, this.gateway.journal())
    }
    if (missing.length === 0) return undefined
    return `the client was expected to break ${missing.join(' and ')}, but did not`
  }
}

/** @throws {TypeError} for a name that is neither an invariant nor the path of an expectation. */
function checkFailureName(name: string): void {
  const [key = ''] = String(name).split(/[.[]/)
  if (invariantNames.some((each) => each === name) || keysOf(expectSchema)?.includes(key)) return
  throw new TypeError(
    `Failed to expect a failure: there is no invariant ${JSON.stringify(name)}.${didYouMean(String(name), invariantNames)} ` +
      `Use one of ${invariantNames.join(', ')}, or the path of an expectation such as requests[0].`,
  )
}

/** Assigns requests without a namespace to one. */
export function withNamespace(simulator: Simulator, belongsTo: () => string): Simulator {
  return { ...simulator, handle: (incoming) => simulator.handle({ ...incoming, belongsTo }) }
}

/** Removes the path of a base URL from requests. Requests to other URLs are handled unchanged. */
function belowBase(baseUrl: string, simulator: Simulator): Simulator {
  const { pathname } = new URL(baseUrl)
  if (pathname === '/') return simulator
  return {
    ...simulator,
    handle: (incoming) => {
      const { target, origin } = incoming
      if (!target.startsWith(`${pathname}/`)) return simulator.handle(incoming)
      return simulator.handle({
        ...incoming,
        target: target.slice(pathname.length),
        origin: origin + pathname,
      })
    },
  }
}

function describeStrays(count: number): string {
  return (
    `${count} ${count === 1 ? 'request' : 'requests'} came while several tests were running, from an unknown ` +
    'one of them. Give the client of each test its gateway.baseUrl, gateway.key or gateway.fetch.'
  )
}

/** The part of Node's `AsyncLocalStorage` that is used. It finds the test to which the current code belongs. */
interface Scope {
  getStore(): string | undefined
  run<T>(id: string, work: () => T): T
}

/** The running tests: one, or several concurrent ones. */
export class RunningTests {
  readonly #scope: Scope | undefined = newScope()
  readonly #byId = new Map<string, TestRun>()

  /** Runs code of a test. */
  within<T>(id: string, work: () => T): T {
    return this.#scope ? this.#scope.run(id, work) : work()
  }

  begin(id: string, test: TestRun): void {
    this.#byId.set(id, test)
  }

  end(id: string): void {
    this.#byId.delete(id)
  }

  byId(id: string): TestRun | undefined {
    return this.#byId.get(id)
  }

  all(): TestRun[] {
    return [...this.#byId.values()]
  }

  /** The test to which the current code belongs; undefined if that is unknown. */
  find(): TestRun | undefined {
    const id = this.#scope?.getStore()
    if (id !== undefined && this.#byId.has(id)) return this.#byId.get(id)
    return this.#byId.size === 1 ? this.all()[0] : undefined
  }

  /** @throws {GreenroomError} if the test is unknown. */
  get(): TestRun {
    const test = this.find()
    if (test) return test
    throw new GreenroomError(
      this.#byId.size === 0
        ? 'Failed to find the gateway of a test: no test is running. Read gateway.baseUrl, gateway.key and the rest ' +
            'in a test or a beforeEach: each test has its own.'
        : `Failed to find the gateway of a test: ${this.#byId.size} tests are running, and it is unknown which of them ` +
            "needs it. Use the context of the test: test.concurrent('…', async ({ gateway }) => { … }).",
    )
  }
}

function newScope(): Scope | undefined {
  const asyncHooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  return asyncHooks && new asyncHooks.AsyncLocalStorage<string>()
}
