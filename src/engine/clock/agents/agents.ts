import type { ClockMode } from '../clock-settings.ts'
import type { ListedWaiter, Waiters } from '../waiters.ts'

/** The version of the protocol between processes and server. */
export const agentProtocol = 1

/**
 * A TCP connection as a process sees it. `order` sorts the requests that a process sends at the same instant, and `place` is the
 * line of the program that sent the latest one, such as `client.py:42`.
 */
export type SeenConnection = readonly [
  localPort: number,
  remotePort: number,
  bytesRead: number,
  bytesWritten: number,
  flags: number,
  order: number,
  place?: string,
]

/** The bits of a connection's flags. */
export const connectionFlags = {
  /** The process has read the end of the stream. */
  ended: 1,
  /** The process has closed the connection. */
  closed: 2,
  /** The process leaves bytes unread on purpose: its streams are full or paused. */
  paused: 4,
  /** The process waits for a response. This bit counts only if the other end takes no part in the clock. */
  expects: 8,
} as const

/** A message of a process: it can do nothing more until time moves, or until it receives something. */
export interface Statement {
  /** The number of the server's latest message that it has handled. */
  readonly seen: number
  /** Grows with each event in the process, except messages of the server. */
  readonly mark?: number
  /** Work other than timers and connections that the process does or waits for, such as reading a file. */
  readonly busy?: readonly string[]
  /** The ids of the child processes that it waits for. */
  readonly children?: readonly number[]
  /** The ids of its threads. */
  readonly threads?: readonly number[]
  readonly connections?: readonly SeenConnection[]
  /** Timers set since the previous statement: id, and milliseconds from now. */
  readonly set?: readonly (readonly [id: number, delayMs: number])[]
  readonly clear?: readonly number[]
  /** Whether a race between equal processes has decided what this one does. */
  readonly approximate?: boolean
  /** Whether the process blocks its event loop until another process ends. It can't report when that has ended. */
  readonly blocked?: boolean
}

/** A message of the server to a process: the time, its rate, and the timer that is due. */
export interface AgentMessage {
  readonly n: number
  readonly now: number
  readonly rate: number
  readonly fire?: number
  /** In the first message: the seed of the process's random numbers. */
  readonly seed?: string
}

/** What a process sends first, to introduce itself. */
export interface AgentIdentity {
  readonly pid: number
  /**
   * The program with its arguments. Processes are sorted by it, so their order does not depend on which one connected
   * first.
   */
  readonly name: string
  /** The number of a worker thread; 0 for the main thread. */
  readonly thread: number
}

/** The server's side of a process that takes part in a clock. */
export interface AgentPort {
  readonly identity: AgentIdentity
  readonly send: (message: AgentMessage) => void
  readonly seed: string
}

/** The sockets and processes around the agents. The clock itself knows neither. */
export interface Surroundings {
  /** What an idle agent still waits for; undefined if it waits for nothing. */
  readonly obstacle: (agents: ReadonlySet<Agent>) => string | undefined
  /**
   * What is on its way to or from an agent; undefined if nothing is.
   * @param deliveries how many reports the simulator is sending.
   */
  readonly inFlight: (deliveries: number) => string | undefined
}

/** The clock that runs an agent's timers. */
export interface HomeClock {
  readonly waiters: Waiters
  readonly mode: () => ClockMode
  readonly now: () => number
  readonly rate: () => number
  readonly onChange: () => void
}

/** A process or a thread that runs its timers on a clock, and states when it can do nothing more. */
export class Agent {
  readonly identity: AgentIdentity
  readonly rank: string
  readonly #send: (message: AgentMessage) => void
  readonly #home: HomeClock
  readonly #timers = new Map<number, ListedWaiter>()
  #statement: Statement | undefined
  #isClient = false
  #isApproximate = false
  #sent = 0

  constructor({ identity, send, seed }: AgentPort, home: HomeClock) {
    this.identity = identity
    this.rank = `${identity.name}\n${String(identity.pid).padStart(10, '0')}\n${String(identity.thread).padStart(6, '0')}`
    this.#send = send
    this.#home = home
    this.#tell({ seed })
  }

  /** Its latest statement. */
  get statement(): Statement | undefined {
    return this.#statement
  }

  /** Whether it ever had a timer or a connection. A process like npm, which only waits for another, has none. */
  get isClient(): boolean {
    return this.#isClient
  }

  /** Whether it ever stated that a race decided what it does. */
  get isApproximate(): boolean {
    return this.#isApproximate
  }

  /** Whether its statement follows every message. */
  get isCurrent(): boolean {
    return this.#statement?.blocked === true || this.#statement?.seen === this.#sent
  }

  /** Sends the time. Earlier statements no longer count. @param fire the timer that is due. */
  tell(fire?: number): void {
    this.#tell(fire === undefined ? {} : { fire })
  }

  #tell(more: Pick<AgentMessage, 'fire' | 'seed'>): void {
    const { now, rate } = this.#home
    this.#send({ n: ++this.#sent, now: now(), rate: rate(), ...more })
  }

  /** Accepts a statement. */
  state(statement: Statement): void {
    this.#statement = statement
    const { waiters, now, onChange } = this.#home
    const { set = [], clear = [], connections = [] } = statement
    this.#isClient ||= set.length > 0 || connections.length > 0
    this.#isApproximate ||= statement.approximate === true
    for (const [id, delayMs] of set) {
      const wake = (): void => {
        this.#timers.delete(id)
        this.tell(id)
      }
      const waiting = { kind: 'deadline', name: this.identity.name, isTimer: true } as const
      const due = now() + delayMs
      this.#timers.set(id, waiters.add({ due, waiting, rank: this.rank, wake, end: () => {} }))
    }
    for (const id of clear) {
      this.#timers.get(id)?.remove()
      this.#timers.delete(id)
    }
    onChange()
  }

  /** Drops the timers of the agent. */
  end(): void {
    for (const timer of this.#timers.values()) timer.remove()
    this.#timers.clear()
    this.#home.onChange()
  }
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
    for (const { isCurrent, identity } of this.#members)
      if (!isCurrent) return this.#inFlight ?? `${describeAgent(identity)} is at work`
    this.#inFlight = undefined
    if (this.#members.size === 0 || !this.areKnown) return undefined
    const { obstacle, inFlight } = this.#surroundings!
    return obstacle(this.#members) ?? inFlight(this.#deliveries)
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
    const marks = [...this.#members].map(({ statement }) => statement?.mark ?? 0).join()
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

/** The name of a process in messages. */
function describeAgent({ pid, name, thread }: AgentIdentity): string {
  return thread === 0 ? `process ${pid} (${name})` : `thread ${thread} of process ${pid} (${name})`
}
