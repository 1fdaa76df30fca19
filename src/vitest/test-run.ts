import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import { createFetch } from '../transports/fetch/create-fetch.ts'
import type { Simulator } from '../simulator/simulator.ts'
import type { Expect } from '../judge/expectations/expect.ts'
import { failureReport } from '../judge/reports/terminal.ts'
import type { Verdict } from '../judge/verdict.ts'
import { watchRun, type RunNames, type WatchedRun } from '../embedded/watched-run.ts'
import { bothExpected } from './expectations.ts'
import { RealSleep } from './real-sleep.ts'
import type { TestGateway } from './test-gateway.ts'

/**
 * The client of a test did what a good one doesn't. The message is the report.
 *
 * @example
 * const error = new VerdictError('the client polled after the end')
 * error.stack // → 'VerdictError: the client polled after the end'
 */
export class VerdictError extends Error {
  override name = 'VerdictError'

  constructor(message: string) {
    super(message)
    // Where it was thrown says nothing to whoever reads the report.
    this.stack = `${this.name}: ${message}`
  }
}

/** What a test begins with. */
export interface TestStart {
  readonly simulator: EmbeddedSimulator
  readonly namespace: string
  /** Where the gateway is; the namespace is put behind it. */
  readonly baseUrl: string
  readonly expect: Expect
  readonly names: RunNames
}

/** One test from its beginning to its verdict. */
export class TestRun {
  readonly gateway: TestGateway
  /** Requests that belonged to no test while this was one of several: nobody knows whose they were. */
  strays = 0
  /** Why the test hung, should it do so. */
  hung: string | undefined
  /** How long the client sleeps in real time. */
  realSleep: RealSleep
  readonly #start: TestStart
  readonly #mayFail = new Set<string>()
  #expect: Expect
  #watch: WatchedRun
  #isJudged = true

  /** @throws {PatternError} {DurationError} for an expectation that can't be read. */
  constructor(start: TestStart) {
    const { simulator, namespace } = start
    this.#start = start
    this.#expect = start.expect
    const handle = simulator.namespace(namespace)
    this.#watch = this.#watchAnew()
    this.realSleep = this.#watchSleep()
    this.gateway = {
      ...handle,
      simulator,
      baseUrl: `${start.baseUrl}/ns/${namespace}`,
      fetch: createFetch(
        below(
          start.baseUrl,
          belonging(simulator.core, () => namespace),
        ),
      ),
      reset: () => {
        this.#watch.stop()
        this.realSleep.stop()
        handle.reset()
        this.#watch = this.#watchAnew()
        this.realSleep = this.#watchSleep()
      },
      expect: (more) => {
        this.#expect = bothExpected(this.#expect, more)
        this.#watch.stop()
        this.#watch = this.#watchAnew()
      },
      expectFailure: (...what) => {
        for (const each of what) this.#mayFail.add(each)
      },
      skipVerdict: () => {
        this.#isJudged = false
      },
      verdict: () => this.#watch.verdict(),
    }
  }

  /** @throws {VerdictError} when the verdict isn't what the test says it will be. */
  async judge(): Promise<void> {
    if (!this.#isJudged) return
    const problem = this.#problemWith(await this.#watch.verdict())
    if (problem !== undefined) throw new VerdictError(problem)
    if (this.strays > 0) throw new VerdictError(strayWords(this.strays))
  }

  /** Lets go of the namespace and of all that is in it. */
  end(): void {
    const { simulator, namespace } = this.#start
    const { control, rules, namespaces } = simulator.core
    this.#watch.stop()
    this.realSleep.stop()
    control.clear(namespace, { journal: true, tasks: true })
    rules.removeOf(namespace)
    namespaces.remove(namespace)
  }

  #watchAnew(): WatchedRun {
    const { simulator, namespace, names } = this.#start
    return watchRun(simulator.core, namespace, this.#expect, names)
  }

  #watchSleep(): RealSleep {
    const { simulator, namespace } = this.#start
    return new RealSleep(simulator.core.namespaces.get(namespace).journal)
  }

  #problemWith(verdict: Verdict): string | undefined {
    const failed = verdict.results.filter(({ fails }) => fails)
    const isMeant = ({ path, title }: { path: string; title: string }): boolean =>
      [...this.#mayFail].some((what) => path === what || title === `always: ${what}`)
    const missing = [...this.#mayFail].filter(
      (what) => !failed.some(({ path, title }) => path === what || title === `always: ${what}`),
    )
    const unmeant = failed.filter((result) => !isMeant(result))
    if (unmeant.length > 0) {
      const results = verdict.results.filter((result) => !isMeant(result))
      const report = failureReport({ ...verdict, results }, this.gateway.journal())
      return `client check failed (seed ${verdict.seed})\n\n${report}`
    }
    if (missing.length === 0) return undefined
    return `the client was expected to break ${missing.join(' and ')}, but did not`
  }
}

/** A simulator to which requests belong that name no namespace. */
export function belonging(simulator: Simulator, belongsTo: () => string): Simulator {
  return { ...simulator, handle: (incoming) => simulator.handle({ ...incoming, belongsTo }) }
}

/** A simulator that is asked below a base address with a path; whoever calls another address is answered as well. */
function below(baseUrl: string, simulator: Simulator): Simulator {
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

function strayWords(count: number): string {
  return (
    `${count} ${count === 1 ? 'request' : 'requests'} came while several tests were running, and nobody knows from ` +
    'which. Give the client of each test its gateway.baseUrl, gateway.key or gateway.fetch.'
  )
}
