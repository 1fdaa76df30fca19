import type { HomeClock, ListedWaiter } from '../waiters.ts'

/** The version of the protocol between processes and server. */
export const agentProtocol = 1

/**
 * A TCP connection as a process sees it. `order` sorts the requests that a process sends at the same instant, and `place` is the
 * line of the program that sent the latest one with its callers, such as `client.py:42 from client.py:57`.
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
  /** Whether it waits where its runtime can't state that. */
  isOutside = false

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
    this.isOutside = false
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

/** The activity of a process that has not stated that it waits. */
export function describeWork({ identity, isOutside, statement }: Agent): string {
  const name = describeAgent(identity)
  if (!isOutside) return `${name} is at work`
  const latest = statement?.connections?.toSorted((one, other) => other[5] - one[5])[0]?.[6]
  const since = latest === undefined ? '' : `, after its request of ${latest}`
  return `${name} waits in a call that virtual time does not reach, such as one of a C library${since}`
}

/** The name of a process in messages. */
export function describeAgent({ pid, name, thread }: AgentIdentity): string {
  return thread === 0 ? `process ${pid} (${name})` : `thread ${thread} of process ${pid} (${name})`
}
