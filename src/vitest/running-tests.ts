import { GreenroomError } from './options.ts'
import type { TestRun } from './test-run.ts'

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
