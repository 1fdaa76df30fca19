import { unref, type HostTimers } from '../timers/host-timers.ts'
import type { Agents } from './agents.ts'

/** How often the obstacle is looked at, in real time. */
const lookMs = 250

/**
 * After how many looks at the same obstacle it is reported. Looks count, not seconds, so a machine that stops both processes
 * for a while changes nothing.
 */
const maxLooks = 20

/** The same where the system doesn't show whether a process computes. */
const maxBlindLooks = 240

/** A process that waits still uses some processor time, such as for a thread that watches. In hundredths of a second. */
const maxIdleTime = 10

/**
 * Looks for what prevents time from moving for seconds although it does nothing: a process that waits in a C library, a child
 * that waits for another program, a service that takes no part.
 */
export class OutsideWatch {
  readonly #agents: Agents
  readonly #host: HostTimers
  readonly #onFound: () => void
  #timer: ReturnType<HostTimers['setTimeout']> | undefined
  #cause: string | undefined
  #usedBefore = 0
  #looks = 0
  #hasFound = false

  /** @param onFound called once for each such wait. */
  constructor(agents: Agents, host: HostTimers, onFound: () => void) {
    this.#agents = agents
    this.#host = host
    this.#onFound = onFound
  }

  /** Whether a wait that was found still lasts. */
  get hasFound(): boolean {
    return this.#hasFound
  }

  /** Looks until no process takes part. */
  start(): void {
    this.#timer ??= unref(this.#host.setTimeout(() => this.#look(), lookMs))
  }

  stop(): void {
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#begin(undefined, 0)
  }

  #begin(cause: string | undefined, used: number): void {
    this.#cause = cause
    this.#usedBefore = used
    this.#looks = 0
    this.#hasFound = false
  }

  #look(): void {
    this.#timer = undefined
    if (this.#agents.size === 0) return this.stop()
    this.start()
    const { why, pid, isOwn = false } = this.#agents.findObstacle() ?? {}
    const used = pid === undefined ? 0 : this.#agents.processorTime(pid)
    const isIdle = why !== undefined && !isOwn && used !== undefined
    const cause = isIdle ? `${pid ?? why} ${this.#agents.marks}` : undefined
    const hasWorked = (used ?? 0) - this.#usedBefore > maxIdleTime
    if (cause === undefined || cause !== this.#cause || hasWorked) return this.#begin(cause, used ?? 0)
    this.#looks++
    if (this.#looks !== (used === null ? maxBlindLooks : maxLooks)) return
    this.#hasFound = true
    if (pid !== undefined) this.#agents.markOutside(pid)
    this.#onFound()
  }
}
