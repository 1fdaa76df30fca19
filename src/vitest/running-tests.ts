import { GreenroomError } from './options.ts'
import type { TestRun } from './test-run.ts'

/** What tells which of several tests code belongs to: Node's `AsyncLocalStorage`. */
interface Scope {
  getStore(): string | undefined
  run<T>(id: string, work: () => T): T
}

/** The tests that run now: one, or several where they are concurrent. */
export class RunningTests {
  readonly #scope: Scope | undefined = newScope()
  readonly #byId = new Map<string, TestRun>()

  /** Runs a test so that it is known, however deep inside, which one it is. */
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

  /** The test that somebody's code belongs to; undefined when none runs, or several do and nobody knows which. */
  find(): TestRun | undefined {
    const id = this.#scope?.getStore()
    if (id !== undefined && this.#byId.has(id)) return this.#byId.get(id)
    return this.#byId.size === 1 ? this.all()[0] : undefined
  }

  /** @throws {GreenroomError} when nobody knows which. */
  get(): TestRun {
    const test = this.find()
    if (test) return test
    throw new GreenroomError(
      this.#byId.size === 0
        ? 'Failed to find the gateway of a test: no test is running. Read gateway.baseUrl, gateway.key and the rest ' +
            'inside of a test or a beforeEach: each test has its own.'
        : `Failed to find the gateway of a test: ${this.#byId.size} tests are running, and nobody knows which of them ` +
            "asks. Take it from the test itself: test.concurrent('…', async ({ gateway }) => { … }).",
    )
  }
}

function newScope(): Scope | undefined {
  const asyncHooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  return asyncHooks && new asyncHooks.AsyncLocalStorage<string>()
}
