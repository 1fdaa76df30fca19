import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { AgentMessage } from '../../engine/clock/agents/agent.ts'
import { ProgramActivity } from './activity.ts'
import type { ClockClient } from './clock-client.ts'
import { VirtualTimeout, type TimeoutOptions } from './timeout.ts'

/** Node's own limit: longer delays become 1 ms. */
const maxDelayMs = 2 ** 31 - 1

/** How many consecutive turns of the event loop must be quiet. Node's own immediates take one each. */
const quietTurns = 3

/** The interval of checks while work is in progress that does not report its end, such as reading a file. */
const [minLookMs, maxLookMs] = [1, 8]

/** After this many reads of a stopped clock, time passes by a millisecond, so that a loop that waits for it ends. */
const readsPerMs = 1_000

/**
 * The timers and the time of this process, which follow a simulator. Whenever nothing happens in the process any more, the
 * simulator gets a statement.
 */
export class VirtualTimers {
  readonly #link: ClockClient
  readonly #activity: ProgramActivity
  readonly #pending = new Map<number, VirtualTimeout>()
  #added = new Map<number, number>()
  #dropped: number[] = []
  #lastId = 0
  #seen = 0
  #isSettling = false
  #isOver = false
  #now = 0
  #rate = 0
  /** The time in the latest message, and when the message came. */
  #heardNow = 0
  #heardAtMs = 0
  #reads = 0

  /** @param onReady called with the seed of the simulator when the time is known. */
  constructor(link: ClockClient, onReady: (seed: string) => void) {
    this.#link = link
    this.#activity = new ProgramActivity(
      link,
      () => this.#settle(),
      () => this.#link.send({ seen: this.#seen, blocked: true, ...this.#takeTimers() }),
    )
    link.listen(
      (message) => {
        this.#receive(message)
        if (message.seed === undefined) return
        // From here on, only timers keep the process alive.
        this.referencesChanged()
        onReady(message.seed)
      },
      () => this.#end(),
    )
    this.#settle()
  }

  /** The clock's time. In mode `auto`, it does not move until this process has nothing left to do. */
  now(): number {
    if (this.#rate === 0) {
      if (++this.#reads % readsPerMs === 0) this.#now++
      return this.#now
    }
    const passedMs = (hostTimers.elapsedMs() - this.#heardAtMs) * this.#rate
    this.#now = Math.max(this.#now, this.#heardNow + Math.floor(passedMs))
    return this.#now
  }

  /** @returns undefined for a wait in real time. */
  create(callback: () => void, delay: unknown, options: TimeoutOptions): VirtualTimeout | undefined {
    const number = Math.trunc(Number(delay))
    const delayMs = options.repeats && !(number >= 1) ? 1 : number
    if (!(delayMs >= 1 && delayMs <= maxDelayMs) || this.#isOver) return undefined
    return new VirtualTimeout(this, callback, delayMs, options)
  }

  find(id: number): VirtualTimeout | undefined {
    return this.#pending.get(id)
  }

  /** Starts a timer. @returns its id. */
  add(timeout: VirtualTimeout, delayMs: number): number {
    const id = ++this.#lastId
    this.#pending.set(id, timeout)
    if (this.#isOver) {
      timeout.fireInRealTime(id, delayMs)
      return id
    }
    this.#added.set(id, delayMs)
    this.referencesChanged()
    this.#settle()
    return id
  }

  /** Removes a timer before it is due. */
  drop(id: number): void {
    if (!this.#pending.delete(id)) return
    if (!this.#added.delete(id)) this.#dropped.push(id)
    this.referencesChanged()
    this.#settle()
  }

  /** Fires a timer that is due. */
  fire(id: number): void {
    const timeout = this.#pending.get(id)
    this.#pending.delete(id)
    this.referencesChanged()
    timeout?.fire()
  }

  /** Keeps the process alive by the connection as long as one of the timers does. */
  referencesChanged(): void {
    if (this.#isHeld()) this.#link.socket.ref()
    else this.#link.socket.unref()
  }

  /** Counts a short real timer of the program that begins (1) or ends (-1). */
  countReal(by: 1 | -1): void {
    this.#activity.countWork(by)
  }

  #isHeld(): boolean {
    for (const timeout of this.#pending.values()) if (timeout.hasRef()) return true
    return false
  }

  #receive({ n, now, rate, fire }: AgentMessage): void {
    this.#seen = n
    this.#rate = rate
    this.#heardNow = now
    this.#heardAtMs = hostTimers.elapsedMs()
    this.#now = Math.max(this.#now, now)
    this.#reads = 0
    this.#settle()
    if (fire !== undefined) this.fire(fire)
  }

  /** Handles the end of the simulator: the rest of each wait passes in real time. */
  #end(): void {
    this.#isOver = true
    this.#rate = 1
    this.#heardNow = this.#now
    this.#heardAtMs = hostTimers.elapsedMs()
    for (const [id, timeout] of this.#pending) timeout.fireInRealTime(id)
  }

  /** States what this process waits for, as soon as nothing happens in it any more. */
  #settle(): void {
    if (this.#isSettling || this.#isOver) return
    this.#isSettling = true
    let turns = 0
    let lookMs = minLookMs
    let before = this.#activity.fingerprint()
    const look = (): void => {
      const now = this.#activity.fingerprint()
      turns = now === before && !this.#activity.isAtWork() ? turns + 1 : 0
      before = now
      if (turns < quietTurns) return this.#activity.isAtWork() ? lookLater() : hostTimers.setImmediate(look)
      // The process is about to end, so its unreferenced timers must no longer move time.
      if (!this.#isHeld() && this.#activity.isEnding()) {
        this.#isSettling = false
        return
      }
      const described = this.#activity.describe()
      this.#link.send({ seen: this.#seen, ...described, ...this.#takeTimers() })
      if (described.busy) return lookLater()
      this.#isSettling = false
    }
    const lookLater = (): void => {
      turns = 0
      hostTimers.setTimeout(look, lookMs).unref()
      lookMs = Math.min(maxLookMs, lookMs * 2)
    }
    hostTimers.setImmediate(look)
  }

  #takeTimers(): { set?: (readonly [number, number])[]; clear?: number[] } {
    const [set, clear] = [[...this.#added], this.#dropped]
    this.#added = new Map()
    this.#dropped = []
    return { ...(set.length > 0 && { set }), ...(clear.length > 0 && { clear }) }
  }
}
