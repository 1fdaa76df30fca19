import { isDefinitionError } from '../../engine/operations/own-api.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'
import type { ClientRun, RunClient, RunOptions } from '../runs/client-run.ts'

/** Thrown if the search was interrupted before the end of the run without a fault. */
export class SearchInterruptedError extends Error {
  override name = 'SearchInterruptedError'
}

/** How long a run may take to end after its signal is aborted. Then it is abandoned. */
const maxEndMs = 10_000

/** If this many runs are idle, no further runs begin. */
const maxIdle = 24

/** The parameters of a run, except its scenario. */
interface RunRequest extends Partial<Omit<RunOptions, 'signal'>> {
  /** The injection, for the message of an error. */
  readonly injected?: string
}

/** Runs of one client that end together: at an interrupt, or when one of them can't start. */
export class RunGroup {
  readonly #client: RunClient
  readonly #running = new Set<AbortController>()
  readonly #interrupt: AbortSignal | undefined
  #hasEnded = false
  #plays = 0

  constructor(client: RunClient, interrupt?: AbortSignal) {
    this.#client = client
    this.#interrupt = interrupt
    // One listener for all runs, because each run has a signal of its own.
    interrupt?.addEventListener('abort', this.#end)
    if (interrupt?.aborted) this.#end()
  }

  /** How often the client has run. */
  get plays(): number {
    return this.#plays
  }

  /** Stops listening for the interrupt. */
  close(): void {
    this.#interrupt?.removeEventListener('abort', this.#end)
  }

  /**
   * Runs the client once.
   * @returns undefined if the group ended first.
   * @throws if the run can't start, or if the definition of an API failed in it.
   */
  async run(scenario: Scenario, { injected, ...request }: RunRequest = {}): Promise<ClientRun | undefined> {
    if (this.#hasEnded) return undefined
    const own = new AbortController()
    this.#running.add(own)
    let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
    const abandoned = new Promise<undefined>((resolve) => {
      own.signal.addEventListener('abort', () => {
        timer = hostTimers.setTimeout(() => resolve(undefined), maxEndMs)
      })
    })
    try {
      const running = this.#client(scenario, {
        onIdle: () => {},
        maxVirtualMs: Infinity,
        ...request,
        signal: own.signal,
      })
      const run = await Promise.race([running, abandoned])
      if (this.#hasEnded) return undefined
      this.#plays++
      if (run) refuseBrokenDefinition(run)
      return run
    } catch (error) {
      // Errors after the end are ignored, because the end causes them.
      if (this.#hasEnded) return undefined
      if (injected === undefined) throw error
      throw new Error(`Failed to explore "${injected}": ${(error as Error).message}`, { cause: error })
    } finally {
      hostTimers.clearTimeout(timer)
      this.#running.delete(own)
    }
  }

  /**
   * Works on several items at a time, and returns the results in the order of the list. Finishes all work that it began.
   * Work that only waits for a client's own deadline does not count towards the limit.
   * @throws the first error of `work`, after all other work has ended.
   */
  async runInOrder<T, Result>(
    list: readonly T[],
    { jobs, isOver = () => false }: { jobs: number; isOver?: () => boolean },
    work: (item: T, onIdle: () => void) => Promise<Result | undefined>,
  ): Promise<Result[]> {
    const results: (Result | undefined)[] = []
    const errors: unknown[] = []
    let next = 0
    let running = 0
    const worker = async (): Promise<void> => {
      running++
      const others: Promise<void>[] = []
      while (next < list.length && !this.#hasEnded && !isOver()) {
        const index = next++
        let isReplaced = false
        const onIdle = (): void => {
          if (isReplaced || running >= jobs + maxIdle) return
          isReplaced = true
          others.push(worker())
        }
        try {
          results[index] = await work(list[index]!, onIdle)
        } catch (error) {
          errors.push(error)
          this.#end()
        }
        if (isReplaced) break
      }
      running--
      await Promise.all(others)
    }
    await Promise.all(Array.from({ length: Math.max(1, jobs) }, worker))
    if (errors.length > 0) throw errors[0]
    return results.filter((result) => result !== undefined)
  }

  readonly #end = (): void => {
    this.#hasEnded = true
    for (const run of this.#running) run.abort()
  }
}

/** What a client does after an error of the definition says nothing about the client. */
function refuseBrokenDefinition({ exchanges }: ClientRun): void {
  const messages = exchanges.flatMap(({ internalError }) => internalError ?? [])
  const message = messages.find(isDefinitionError)
  if (message !== undefined)
    throw new Error(`${message}. Correct the file that defines the API, and explore again.`)
}
