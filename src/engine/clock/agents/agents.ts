import type { ClockMode } from '../clock-settings.ts'
import type { ListedWaiter, Waiters } from '../waiters.ts'

/** The version of the lines that processes and server exchange. */
export const agentProtocol = 1

/** A TCP connection as a process sees it. `order` sorts the requests that a process sends at the same instant. */
export type SeenConnection = readonly [
  localPort: number,
  remotePort: number,
  bytesRead: number,
  bytesWritten: number,
  flags: number,
  order: number,
]

/** The bits of a connection's flags. */
export const connectionFlags = {
  /** The process has seen the end of what the other end sends. */
  ended: 1,
  /** The process has closed it. */
  closed: 2,
  /** The process leaves bytes unread on purpose: its streams are full, or paused. */
  paused: 4,
  /** The process waits for a response. It counts only if the other end takes no part in the clock. */
  expects: 8,
} as const

/** What a process says when it can do nothing more before time moves, or before it receives something. */
export interface Statement {
  /** The number of the server's latest message that it has handled. */
  readonly seen: number
  /** Grows whenever something happens in the process that is not a message of the server. */
  readonly mark?: number
  /** What it does, or waits for, that is neither time nor a connection, such as a file. */
  readonly busy?: readonly string[]
  /** The ids of the processes that it waits for. */
  readonly children?: readonly number[]
  /** The ids of its threads. */
  readonly threads?: readonly number[]
  readonly connections?: readonly SeenConnection[]
  /** Timers since the statement before: id, and milliseconds from now. */
  readonly set?: readonly (readonly [id: number, delayMs: number])[]
  readonly clear?: readonly number[]
  /** Whether it waits for a process without a turn of its event loop, so it can't say when that has ended. */
  readonly blocked?: boolean
}

/** What the server says to a process: the time, how fast it passes by itself, and the timer that is due. */
export interface AgentMessage {
  readonly n: number
  readonly now: number
  readonly rate: number
  readonly fire?: number
  /** In the first message: what the random numbers of the process come from. */
  readonly seed?: string
}

/** How a process introduces itself. */
export interface AgentIdentity {
  readonly pid: number
  /** The program with its arguments: it sorts processes, so that their order does not depend on which came first. */
  readonly name: string
  /** The number of a worker thread; 0 for the main thread. */
  readonly thread: number
}

/** What a clock needs of a process that takes part. */
export interface AgentPort {
  readonly identity: AgentIdentity
  readonly send: (message: AgentMessage) => void
  readonly seed: string
}

/** The surroundings of agents: sockets and processes, which a clock knows nothing of. */
export interface Surroundings {
  /**
   * What an idle agent still waits for, or has yet to receive; undefined if there is nothing.
   * @param deliveries how many reports the simulator is sending.
   */
  readonly obstacle: (agents: ReadonlySet<Agent>, deliveries: number) => string | undefined
}

/** The clock that runs an agent's timers. */
export interface HomeClock {
  readonly waiters: Waiters
  readonly mode: () => ClockMode
  readonly now: () => number
  readonly rate: () => number
  readonly onChange: () => void
}

/** A process, or a thread, that runs its timers on a clock, and says when it can do nothing more. */
export class Agent {
  readonly identity: AgentIdentity
  readonly rank: string
  readonly #send: (message: AgentMessage) => void
  readonly #home: HomeClock
  readonly #timers = new Map<number, ListedWaiter>()
  #statement: Statement | undefined
  #isClient = false
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

  /** Whether its statement follows every message. */
  get isCurrent(): boolean {
    return this.#statement?.blocked === true || this.#statement?.seen === this.#sent
  }

  /** Sends the time, so that no earlier statement counts any more. @param fire the timer that is due. */
  tell(fire?: number): void {
    this.#tell(fire === undefined ? {} : { fire })
  }

  #tell(more: Pick<AgentMessage, 'fire' | 'seed'>): void {
    const { now, rate } = this.#home
    this.#send({ n: ++this.#sent, now: now(), rate: rate(), ...more })
  }

  /** Takes a statement. */
  state(statement: Statement): void {
    this.#statement = statement
    const { waiters, now, onChange } = this.#home
    const { set = [], clear = [], connections = [] } = statement
    this.#isClient ||= set.length > 0 || connections.length > 0
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

  /** Its timers end without being due. */
  end(): void {
    for (const timer of this.#timers.values()) timer.remove()
    this.#timers.clear()
    this.#home.onChange()
  }
}

/** Something that happens at the present instant: a request that is to be admitted. */
interface Turn {
  /** Sorts the turns of an instant. Undefined while it is not known which process it belongs to; null if to no agent. */
  readonly rank: () => string | null | undefined
  readonly begin: () => void
}

/**
 * The processes that take part in a clock by agreement: time moves only when each of them has stated that it can do nothing more, and
 * nothing is on its way to or from any of them. No span of real time decides that.
 *
 * What happens at one instant happens one after the other: the next request is admitted, and the next timer is due, when all agents
 * have nothing left to do. So neither their order nor the instant depends on how busy the machine is.
 */
export class Agents {
  readonly #members = new Set<Agent>()
  readonly #turns: Turn[] = []
  #surroundings: Surroundings | undefined
  #wereClients = false
  #deliveries = 0
  /** The marks at the time of the latest probe. */
  #probed: string | undefined

  get size(): number {
    return this.#members.size
  }

  /** Whether a process that takes part is, or was, a client: nothing needs to be assumed of its waits. */
  get areKnown(): boolean {
    return (this.#wereClients ||= [...this.#members].some(({ isClient }) => isClient))
  }

  /** Adds a process. One that sends requests to a second clock is added there, too. */
  add(agent: Agent, surroundings: Surroundings): void {
    this.#members.add(agent)
    this.#surroundings = surroundings
    this.#probed = undefined
  }

  remove(agent: Agent): void {
    this.#wereClients = this.areKnown
    this.#members.delete(agent)
    this.#probed = undefined
  }

  has(agent: Agent): boolean {
    return this.#members.has(agent)
  }

  /** The names of the processes. */
  list(): string[] {
    return [...this.#members].map(({ identity }) => describeAgent(identity)).sort()
  }

  /** Why time can't move yet; undefined if all processes agree. */
  obstacle(): string | undefined {
    for (const { isCurrent, identity } of this.#members)
      if (!isCurrent) return `${describeAgent(identity)} is at work`
    if (this.#members.size === 0 || !this.areKnown) return undefined
    return this.#surroundings!.obstacle(this.#members, this.#deliveries)
  }

  /**
   * With several processes, each gets one more message before anything happens: what one has written into a pipe before it fell silent may
   * have woken another since. Call it when there is no obstacle.
   * @returns whether nothing has happened in any of them since the latest probe.
   */
  isStable(): boolean {
    if (this.#members.size < 2) return true
    const marks = [...this.#members].map(({ statement }) => statement?.mark ?? 0).join()
    if (this.#probed === marks) return true
    this.#probed = marks
    this.tellAll()
    return false
  }

  /** Sends the time to all. */
  tellAll(): void {
    for (const agent of this.#members) agent.tell()
  }

  /** Waits until all agents have nothing left to do, and it is the first of what waits so. @returns whether it belongs to an agent. */
  takeTurn(rank: Turn['rank']): Promise<boolean> {
    return new Promise((resolve) => {
      this.#turns.push({ rank, begin: () => resolve(typeof rank() === 'string') })
    })
  }

  /** A report is sent to a client. Call the result when its response has arrived. */
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

  /** Whether it is known of all turns which agent they belong to. */
  get areTurnsKnown(): boolean {
    return this.#turns.every(({ rank }) => rank() !== undefined)
  }

  /** Begins the first turn. */
  beginTurn(): void {
    const [first] = this.#turns.toSorted((one, other) => ((one.rank() ?? '') < (other.rank() ?? '') ? -1 : 1))
    if (first) this.#begin(first)
  }

  /** Begins all turns: time does not move by agreement any more. */
  beginAllTurns(): void {
    for (const turn of this.#turns.slice()) this.#begin(turn)
  }

  #begin(turn: Turn): void {
    this.#turns.splice(this.#turns.indexOf(turn), 1)
    this.#probed = undefined
    turn.begin()
  }
}

/** How messages name a process. */
export function describeAgent({ pid, name, thread }: AgentIdentity): string {
  return thread === 0 ? `process ${pid} (${name})` : `thread ${thread} of process ${pid} (${name})`
}
