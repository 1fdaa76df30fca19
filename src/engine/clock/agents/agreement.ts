import { Agent, type AgentPort, type Agents, type HomeClock, type Surroundings } from './agents.ts'
import { unref, type HostTimers } from '../timers/host-timers.ts'

/** How often sockets and processes are looked at while agents wait for what is on its way. */
const [minCheckMs, maxCheckMs] = [1, 16]

/** What a clock does for the processes that take part in it. */
export class Agreement {
  readonly #agents: Agents
  readonly #home: HomeClock
  readonly #host: HostTimers
  #timer: ReturnType<HostTimers['setTimeout']> | undefined
  #delayMs = minCheckMs

  /** @param home the clock; its `onChange` is called when time may move. */
  constructor(agents: Agents, home: HomeClock, host: HostTimers) {
    this.#agents = agents
    this.#home = home
    this.#host = host
  }

  /**
   * Lets a process take part: its timers run on this clock, and in `auto` time moves only while it can do nothing.
   * @returns the agent, and a function for the end of the process.
   */
  join(port: AgentPort, surroundings: Surroundings): { agent: Agent; leave: () => void } {
    const agent = new Agent(port, this.#home)
    this.#agents.add(agent, surroundings)
    const leave = (): void => {
      this.#agents.remove(agent)
      agent.end()
    }
    return { agent, leave }
  }

  /**
   * Waits until no process that takes part can do anything, before something else happens at this instant.
   * @param rank sorts what waits so; null for what belongs to no such process, undefined while that is not known.
   * @returns whether it belongs to such a process.
   */
  takeTurn(rank: () => string | null | undefined): Promise<boolean> {
    if (this.#home.mode() !== 'auto') return Promise.resolve(false)
    const begun = this.#agents.takeTurn(rank)
    this.change()
    return begun
  }

  /** A process made a statement, or something happened around it: time may move. */
  change(): void {
    this.#delayMs = minCheckMs
    this.#home.onChange()
  }

  /** Begins the first of what waits for its turn at this instant, if nothing prevents it. @returns whether anything waits: time stands still. */
  beginTurn({ isReading }: { isReading: boolean }): boolean {
    // What begins goes on in a microtask: time must not move before.
    const hasBegun = this.#agents.beginForeignTurns()
    if (!hasBegun && !this.#agents.hasTurns) return false
    const mustWait = !this.#agents.areTurnsKnown || isReading || this.#agents.obstacle() !== undefined
    if (hasBegun) this.#home.onChange()
    else if (mustWait) this.checkSoon()
    else {
      if (this.#agents.isStable()) this.#agents.beginTurn()
      this.#home.onChange()
    }
    return true
  }

  /** The last bytes, or the end of a connection or of a process, may be on their way: nothing reports that. */
  checkSoon(): void {
    if (this.#timer !== undefined) return
    const check = (): void => {
      this.#timer = undefined
      this.#home.onChange()
    }
    this.#timer = unref(this.#host.setTimeout(check, this.#delayMs))
    this.#delayMs = Math.min(maxCheckMs, this.#delayMs * 2)
  }

  /** Time no longer moves by agreement. */
  close(): void {
    this.#agents.beginAllTurns()
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
