import { describeAgent, describeWork, type Agent } from './agent.ts'

/** Why time can't move yet. */
export interface Obstacle {
  readonly why: string
  /** The process that time waits for; undefined if it is the simulator itself, or unknown. */
  readonly pid?: number
  /** Whether the simulator itself is at work. */
  readonly isOwn?: boolean
}

/** The sockets and processes around the agents. The clock itself knows neither. */
export interface Surroundings {
  /** What an idle agent still waits for; undefined if it waits for nothing. */
  readonly obstacle: (agents: ReadonlySet<Agent>) => Obstacle | undefined
  /**
   * What is on its way to or from an agent; undefined if nothing is.
   * @param deliveries how many reports the simulator is sending.
   */
  readonly inFlight: (deliveries: number) => string | undefined
  /**
   * The processor time of a process so far, in hundredths of a second; undefined while it runs, or is stopped. Without it,
   * the system shows neither.
   */
  readonly processorTime?: (pid: number) => number | undefined
}

/** A request that waits to be admitted at the present instant. */
interface Turn {
  /** Sorts the turns of an instant. Undefined until its process is known; null if it belongs to no agent. */
  readonly rank: () => string | null | undefined
  readonly begin: () => void
}

/**
 * The processes that take part in a clock by agreement. Time moves only when each of them has stated that it can do
 * nothing more, and nothing is on its way to or from any of them. Real time has no influence.
 *
 * Events of one instant happen one after the other: the next request is admitted, or the next timer fires, when all
 * agents have nothing left to do. So neither order nor instant depends on the load of the machine.
 */
export class Agents {
  readonly #members = new Set<Agent>()
  readonly #turns: Turn[] = []
  #surroundings: Surroundings | undefined
  #wereClients = false
  #wereApproximate = false
  #deliveries = 0
  /** What seems to be on its way, while processes are queried again. */
  #inFlight: string | undefined
  /** The marks of all agents at the latest probe. */
  #probed: string | undefined

  get size(): number {
    return this.#members.size
  }

  /** Whether a process that takes part is, or was, a client. Then no waits need to be assumed. */
  get areKnown(): boolean {
    return (this.#wereClients ||= [...this.#members].some(({ isClient }) => isClient))
  }

  /** Whether a race between processes has decided anything. Their waits are known, but another run may differ. */
  get areApproximate(): boolean {
    return (this.#wereApproximate ||= [...this.#members].some(({ isApproximate }) => isApproximate))
  }

  /** Adds a process. If it sends requests to a second clock, it is added there too. */
  add(agent: Agent, surroundings: Surroundings): void {
    this.#members.add(agent)
    this.#surroundings = surroundings
    this.#probed = undefined
  }

  remove(agent: Agent): void {
    this.#wereClients = this.areKnown
    this.#wereApproximate = this.areApproximate
    this.#members.delete(agent)
    this.#probed = undefined
  }

  has(agent: Agent): boolean {
    return this.#members.has(agent)
  }

  /** The marks of all agents. They differ as soon as one of them has done anything. */
  get marks(): string {
    return [...this.#members].map(({ statement }) => statement?.mark ?? 0).join()
  }

  /** The ids of the processes. */
  ids(): number[] {
    return [...this.#members].map(({ identity }) => identity.pid)
  }

  /** The names of the processes. */
  list(): string[] {
    return [...this.#members].map(({ identity }) => describeAgent(identity)).sort()
  }

  /** Why time can't move yet; undefined if all processes agree. */
  obstacle(): string | undefined {
    return this.findObstacle()?.why
  }

  /** Whether time waits for what takes no part in the clock, so that no time-out of a process can pass. */
  get areOutside(): boolean {
    const atWork = [...this.#members].filter(({ isCurrent }) => !isCurrent)
    if (atWork.length > 0) return atWork.every(({ isOutside }) => isOutside)
    const obstacle = this.areKnown ? this.#surroundings?.obstacle(this.#members) : undefined
    return obstacle !== undefined && obstacle.isOwn !== true
  }

  /** Why time can't move yet, with the process that causes it. */
  findObstacle(): Obstacle | undefined {
    for (const agent of this.#members) {
      if (agent.isCurrent) continue
      if (this.#inFlight !== undefined) return { why: this.#inFlight }
      return { why: describeWork(agent), pid: agent.identity.pid }
    }
    this.#inFlight = undefined
    if (this.#members.size === 0 || !this.areKnown) return undefined
    const { obstacle, inFlight } = this.#surroundings!
    const why = obstacle(this.#members)
    if (why) return why
    const transit = inFlight(this.#deliveries)
    return transit === undefined ? undefined : { why: transit }
  }

  /** The processor time of a process, as {@link Surroundings} has it; null if the system shows none. */
  processorTime(pid: number): number | undefined | null {
    const { processorTime } = this.#surroundings ?? {}
    return processorTime ? processorTime(pid) : null
  }

  /** Marks the threads of a process as waiting where their runtime can't state that. */
  markOutside(pid: number): void {
    for (const agent of this.#members)
      if (agent.identity.pid === pid && !agent.isCurrent) agent.isOutside = true
  }

  /**
   * Requests new statements if something seems to be on its way: a process may have received it in a way that its runtime
   * doesn't report.
   */
  requestStatements(): void {
    if (this.#members.size === 0 || [...this.#members].some(({ isCurrent }) => !isCurrent)) return
    const { obstacle, inFlight } = this.#surroundings!
    if (obstacle(this.#members) !== undefined) return
    this.#inFlight = inFlight(this.#deliveries)
    if (this.#inFlight !== undefined) this.tellAll()
  }

  /**
   * Sends each of several processes one more message before time moves: bytes in a pipe may have woken one since its
   * statement. Call it when there is no obstacle.
   * @returns whether no process has done anything since the latest probe.
   */
  isStable(): boolean {
    if (this.#members.size < 2) return true
    const { marks } = this
    if (this.#probed === marks) return true
    this.#probed = marks
    this.tellAll()
    return false
  }

  /** Sends the time to all agents. */
  tellAll(): void {
    for (const agent of this.#members) agent.tell()
  }

  /**
   * Waits until all agents have nothing left to do and this turn is the first of those that wait. @returns whether it
   * belongs to an agent.
   */
  takeTurn(rank: Turn['rank']): Promise<boolean> {
    return new Promise((resolve) => {
      this.#turns.push({ rank, begin: () => resolve(typeof rank() === 'string') })
    })
  }

  /** Counts a report that is being sent to a client. Call the result when its response has arrived. */
  whileDelivering(): () => void {
    this.#deliveries++
    return () => void this.#deliveries--
  }

  get hasTurns(): boolean {
    return this.#turns.length > 0
  }

  /** Begins the turns that belong to no agent. @returns whether there were any. */
  beginForeignTurns(): boolean {
    const foreign = this.#turns.filter(({ rank }) => rank() === null)
    for (const turn of foreign) this.#begin(turn)
    return foreign.length > 0
  }

  /** Whether the agent of every turn is known. */
  get areTurnsKnown(): boolean {
    return this.#turns.every(({ rank }) => rank() !== undefined)
  }

  /** Begins the first turn. */
  beginTurn(): void {
    const [first] = this.#turns.toSorted((one, other) => ((one.rank() ?? '') < (other.rank() ?? '') ? -1 : 1))
    if (first) this.#begin(first)
  }

  /** Begins all turns: time no longer moves by agreement. */
  beginAllTurns(): void {
    for (const turn of this.#turns.slice()) this.#begin(turn)
  }

  #begin(turn: Turn): void {
    this.#turns.splice(this.#turns.indexOf(turn), 1)
    this.#probed = undefined
    turn.begin()
  }
}
