import { Agent, type AgentPort } from './agent.ts'
import type { Agents, Surroundings } from './agents.ts'
import { OutsideWatch } from './outside-watch.ts'
import type { Ledger, Reason } from '../holds/ledger.ts'
import { unref, type HostTimers } from '../timers/host-timers.ts'
import type { HomeClock } from '../waiters.ts'

/** How often sockets and processes are checked while agents wait for something that is on its way. */
const [minCheckMs, maxCheckMs] = [1, 16]

/** Moves a clock by the agreement of the processes that take part in it. */
export class Agreement {
  readonly #agents: Agents
  readonly #home: HomeClock
  readonly #host: HostTimers
  #timer: ReturnType<HostTimers['setTimeout']> | undefined
  #delayMs = minCheckMs
  readonly #outside: OutsideWatch

  /** Why time is held until the processes agree. */
  readonly reason: Reason = {
    rank: 40,
    isBrief: true,
    describe: ([hold]) => `waiting for the processes that take part: ${hold!.who}`,
    onCheck: (isHeld) => isHeld && this.#checkSoon(),
  }

  /** @param onOutside called when a process has prevented time from moving for seconds, and did nothing. */
  constructor(
    { agents, ledger }: { agents: Agents; ledger: Ledger },
    home: HomeClock,
    host: HostTimers,
    onOutside: () => void,
  ) {
    this.#agents = agents
    ledger.derive(this.reason, () => {
      const who = agents.obstacle()
      return who === undefined ? undefined : { who }
    })
    this.#home = home
    this.#host = host
    this.#outside = new OutsideWatch(agents, host, () => home.mode() === 'auto' && onOutside())
  }

  /** Whether a process prevents time from moving for seconds, and does nothing. */
  get isOutside(): boolean {
    return this.#outside.hasFound
  }

  /**
   * Adds a process: its timers run on this clock. In `auto`, time moves only while the process can do nothing.
   * @returns the agent, and a function to call when the process ends.
   */
  join(port: AgentPort, surroundings: Surroundings): { agent: Agent; leave: () => void } {
    const agent = new Agent(port, this.#home)
    this.#agents.add(agent, surroundings)
    this.#outside.start()
    const leave = (): void => {
      this.#agents.remove(agent)
      agent.end()
    }
    return { agent, leave }
  }

  /**
   * Waits until no participating process can do anything more at this instant.
   * @param rank sorts the waiting turns; null if the turn belongs to no such process, undefined while that is
   * unknown.
   * @returns whether the turn belongs to such a process.
   */
  takeTurn(rank: () => string | null | undefined): Promise<boolean> {
    if (this.#home.mode() !== 'auto') return Promise.resolve(false)
    const begun = this.#agents.takeTurn(rank)
    this.change()
    return begun
  }

  /**
   * Reports a statement of a process, or a change of its sockets: time may move.
   * @param isNew whether anything happened in the process since its previous statement.
   */
  change(isNew = true): void {
    if (isNew) this.#delayMs = minCheckMs
    if (this.#agents.size > 0) this.#outside.start()
    this.#home.onChange()
  }

  /**
   * Begins the first waiting turn of this instant, if nothing prevents it. @returns whether any turn waits: then time
   * must not move.
   */
  beginTurn({ isReading }: { isReading: boolean }): boolean {
    // The turn continues in a microtask. Time must not move before that.
    const hasBegun = this.#agents.beginForeignTurns()
    if (!hasBegun && !this.#agents.hasTurns) return false
    const mustWait = !this.#agents.areTurnsKnown || isReading || this.#agents.obstacle() !== undefined
    if (hasBegun) this.#home.onChange()
    else if (mustWait) this.#checkSoon()
    else {
      if (this.#agents.isStable()) this.#agents.beginTurn()
      this.#home.onChange()
    }
    return true
  }

  /** Checks again soon: nothing reports the arrival of the last bytes, or the end of a connection or a process. */
  #checkSoon(): void {
    if (this.#timer !== undefined) return
    const check = (): void => {
      this.#timer = undefined
      this.#agents.requestStatements()
      this.#home.onChange()
    }
    this.#timer = unref(this.#host.setTimeout(check, this.#delayMs))
    this.#delayMs = Math.min(maxCheckMs, this.#delayMs * 2)
  }

  /** Stops: time no longer moves by agreement. */
  close(): void {
    this.#agents.beginAllTurns()
    this.#outside.stop()
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
