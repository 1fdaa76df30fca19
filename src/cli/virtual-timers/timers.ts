import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { AgentMessage } from '../../engine/clock/agents/agents.ts'
import { Activity } from './activity.ts'
import type { ClockClient } from './clock-client.ts'
import { VirtualTimeout, type TimeoutOptions } from './timeout.ts'

/** Node's own limit: longer delays become 1 ms. */
const maxDelayMs = 2 ** 31 - 1

/** Turns of the event loop in a row in which nothing may happen. Node's own immediates take one each. */
const quietTurns = 3

/** How often is looked again while something is under way that gives no sign at its end, such as reading a file. */
const [minLookMs, maxLookMs] = [1, 8]

/** After this many reads of a time that stands still, a loop waits for it: time passes by a millisecond, so that the loop ends. */
const readsPerMs = 1_000

/** The timers and the time of this process, which are those of a simulator. It hears of this process when nothing happens in it any more. */
export class VirtualTimers {
  readonly #link: ClockClient
  readonly #activity: Activity
  readonly #pending = new Map<number, VirtualTimeout>()
  #added = new Map<number, number>()
  #dropped: number[] = []
  #lastId = 0
  #seen = 0
  #isSettling = false
  #isOver = false
  #now = 0
  #rate = 0
  /** The time of the latest message, and when it came. */
  #heardNow = 0
  #heardAtMs = 0
  #reads = 0

  /** @param onReady called when the time is known, with the seed of the simulator. */
  constructor(link: ClockClient, onReady: (seed: string) => void) {
    this.#link = link
    this.#activity = new Activity(
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

  /** The clock's time. In mode `auto` it stands still until this process has nothing left to do. */
  now(): number {
    if (this.#rate === 0) {
      if (++this.#reads % readsPerMs === 0) this.#now++
      return this.#now
    }
    const passedMs = (hostTimers.elapsedMs() - this.#heardAtMs) * this.#rate
    this.#now = Math.max(this.#now, this.#heardNow + Math.floor(passedMs))
    return this.#now
  }

  /** @returns undefined for a wait that stays real. */
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

  /** Ends a timer before it is due. */
  drop(id: number): void {
    if (!this.#pending.delete(id)) return
    if (!this.#added.delete(id)) this.#dropped.push(id)
    this.referencesChanged()
    this.#settle()
  }

  /** A timer is due. */
  fire(id: number): void {
    const timeout = this.#pending.get(id)
    this.#pending.delete(id)
    this.referencesChanged()
    timeout?.fire()
  }

  /** The connection keeps this process alive as long as one of its timers does. */
  referencesChanged(): void {
    if (this.#isHeld()) this.#link.socket.ref()
    else this.#link.socket.unref()
  }

  /** Counts a short real timer of the program that begins (1) or is over (-1). */
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

  /** The simulator has ended: what is left of each wait passes in real time. */
  #end(): void {
    this.#isOver = true
    this.#rate = 1
    this.#heardNow = this.#now
    this.#heardAtMs = hostTimers.elapsedMs()
    for (const [id, timeout] of this.#pending) timeout.fireInRealTime(id)
  }

  /** Says what this process waits for, as soon as nothing happens in it any more. */
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
      // The process is about to end. Its timers without a reference must not move time any more.
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
