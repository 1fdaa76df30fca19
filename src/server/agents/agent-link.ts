import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Agent } from '../../engine/clock/agents/agent.ts'
import type { Obstacle, Surroundings } from '../../engine/clock/agents/agents.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { readTarget, type RequestWork } from '../../gateway/request.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { nodeHttp } from '../../transports/http/node-http.ts'
import { Connections } from './connections.ts'
import { ProtocolError, readHello, readLines, readStatement } from './lines.ts'
import { findUnknownProcess, processes, type KnownProcess } from './processes.ts'

const statusPath = '/_greenroom/clock'

const agentPath = `${statusPath}/agent`

/** The maximum number of processes and threads that take part. */
const maxAgents = 1_000

/** A process that takes part, with the clock that runs its timers. */
interface LinkedAgent {
  readonly agent: Agent
  readonly clock: Clock
  /** The id of its parent process. */
  readonly parent: number
}

/**
 * Lets processes of the client take part in a clock. Each opens a connection of its own (CONNECT). Over it, the process
 * states when it can do nothing more, and receives the time. {@link Agents} explains why.
 */
export class AgentLink {
  readonly #simulator: Simulator
  readonly #server: Server
  readonly #agents = new Set<LinkedAgent>()
  readonly #works = new Set<OpenWork>()
  /** Processes that were started to take part, with all their descendants. */
  readonly #roots = new Set<number>()
  #connections: Connections | undefined
  #port = 0

  constructor(server: Server, simulator: Simulator) {
    this.#server = server
    this.#simulator = simulator
    // Once the server is closed, it has no address, and processes may still say their last words.
    server.on('listening', () => (this.#port = (server.address() as AddressInfo).port))
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      void this.#accept(request, socket).catch(() => socket.destroy())
    })
  }

  /**
   * Makes time wait for a process and its descendants, as soon as any process takes part. @returns a function that ends
   * this.
   */
  follow(pid: number): () => void {
    this.#roots.add(pid)
    return () => {
      this.#roots.delete(pid)
      this.#changed()
    }
  }

  /** Connects the work on a request to the clock; undefined if no process takes part. */
  workOf(request: IncomingMessage, response: ServerResponse): RequestWork | undefined {
    if (this.#agents.size === 0) return undefined
    // A request for the status of the clock must not itself stop time.
    if (request.method === 'GET' && readTarget(request.url ?? '').path === statusPath) return undefined
    const work = new OpenWork(request, response, () => this.#changed())
    this.#works.add(work)
    const { socket } = request
    return {
      pause: () => work.pause(),
      place: () => this.#placeOf(socket),
      takeTurn: async (clock) => {
        if (!this.#isListed(socket)) for (const { agent } of this.#agents) agent.tell()
        const resume = work.pause()
        try {
          return await clock.agreement.takeTurn(() => this.#rankOf(socket, clock))
        } finally {
          resume()
        }
      },
    }
  }

  async #accept(request: IncomingMessage, socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    const { url = '', headers } = request
    const target = { transport: 'socket', method: 'GET', target: url, headers, origin: '' } as const
    const isOurs = readTarget(url).path === agentPath
    // The route of the same path checks the token and names the namespace.
    const { reply } = isOurs
      ? await this.#simulator.handle(target)
      : {
          reply: {
            status: 405,
            body: JSON.stringify({ error: { message: `CONNECT works for ${agentPath} only.` } }),
          },
        }
    const body = String(reply.body)
    const head = `HTTP/1.1 ${reply.status} ${nodeHttp.STATUS_CODES[reply.status]}\r\n`
    if (reply.status !== 200)
      return void socket.end(
        `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      )
    socket.setNoDelay(true)
    this.#connections ??= new Connections(this.#server, () => this.#port)
    // No timeout: a process that the host suspends must find its connections unchanged.
    this.#server.keepAliveTimeout = 0
    socket.write(`${head}\r\n`)
    const { namespace } = JSON.parse(body) as { namespace: string }
    this.#listen(socket, this.#simulator.namespaces.get(namespace).clock)
  }

  #listen(socket: Socket, clock: Clock): void {
    let linked: (LinkedAgent & { readonly leave: () => void }) | undefined
    readLines(socket, (value) => {
      if (linked) {
        const statement = readStatement(value)
        this.#connections!.note(statement.connections ?? [])
        const mark = linked.agent.statement?.mark
        linked.agent.state(statement)
        this.#changed(mark === undefined || mark !== statement.mark)
        return
      }
      const { parent, ...identity } = readHello(value)
      if (this.#agents.size >= maxAgents) throw new ProtocolError(`${maxAgents} processes take part already`)
      const send = (message: object): void =>
        void (socket.destroyed || socket.write(`${JSON.stringify(message)}\n`))
      const { seed } = this.#simulator.draws
      linked = { ...clock.agreement.join({ identity, send, seed }, this.#surroundings), clock, parent }
      this.#agents.add(linked)
    })
    socket.once('close', () => {
      if (!linked) return
      this.#agents.delete(linked)
      // Including clocks of other namespaces to which it has sent requests.
      for (const { clock } of this.#simulator.namespaces.all()) clock.auto.agents.remove(linked.agent)
      linked.leave()
      if (this.#agents.size === 0) this.#connections!.clear()
      this.#changed()
    })
  }

  #isListed(socket: Socket): boolean {
    return [...this.#agents].some(({ agent }) => this.#connections!.find(socket, agent) !== undefined)
  }

  /** The line of the program that sent the request on a connection. Its statement follows the request when its turn begins. */
  #placeOf(socket: Socket): string | undefined {
    for (const { agent } of this.#agents) {
      const place = agent.isCurrent ? this.#connections!.find(socket, agent)?.[6] : undefined
      if (place !== undefined) return place
    }
    return undefined
  }

  /** Sorts a request among those of other connections; null if no agent sent it, undefined while that is unknown. */
  #rankOf(socket: Socket, clock: Clock): string | null | undefined {
    for (const { agent } of this.#agents) {
      const order = this.#connections!.find(socket, agent)?.[5]
      if (order === undefined) continue
      if (!clock.auto.agents.has(agent)) clock.auto.agents.add(agent, this.#surroundings)
      return `${agent.rank}\n${String(order).padStart(10, '0')}`
    }
    return [...this.#agents].every(({ agent }) => agent.isCurrent) ? null : undefined
  }

  #changed(isNew = true): void {
    for (const { clock } of this.#simulator.namespaces.all())
      if (clock.auto.agents.size > 0) clock.agreement.change(isNew)
  }

  readonly #surroundings: Surroundings = {
    obstacle: (agents) => this.#findWork() ?? findBusy(agents) ?? this.#findUnknown(agents),
    inFlight: (deliveries) => this.#findInFlight(deliveries),
    ...(processes.areListed && { processorTime: (pid) => processes.timeOf(pid) }),
  }

  #findWork(): Obstacle | undefined {
    for (const work of this.#works) {
      if (work.isOver) this.#works.delete(work)
      else if (!work.isPaused) return { why: `the simulator is at work on ${work.name}`, isOwn: true }
    }
    return undefined
  }

  /** Finds a process that time must wait for and that takes no part. */
  #findUnknown(agents: ReadonlySet<Agent>): Obstacle | undefined {
    const known = new Map<number, KnownProcess>()
    for (const { agent, parent } of this.#agents)
      if (agent.identity.thread === 0)
        known.set(agent.identity.pid, { parent, isBlocked: agent.statement?.blocked === true })
    const awaited = new Set(this.#roots)
    for (const { identity, statement } of agents) {
      for (const child of statement?.children ?? []) awaited.add(child)
      if (statement?.blocked) awaited.add(identity.pid)
      const joined = [...this.#agents].filter(({ agent }) => agent.identity.pid === identity.pid)
      const thread = statement?.threads?.find((id) =>
        joined.every(({ agent }) => agent.identity.thread !== id),
      )
      if (thread !== undefined)
        return {
          why: `thread ${thread} of process ${identity.pid} takes no part in the clock`,
          pid: identity.pid,
        }
    }
    for (const pid of awaited) {
      const unknown = findUnknownProcess(pid, known)
      if (unknown !== undefined)
        return {
          why:
            `process ${unknown} (${processes.nameOf(unknown)}) takes no part in the clock, or has yet to begin ` +
            '(a program that is no client and runs all the time must be started before, or by setsid --fork)',
          pid: unknown,
        }
    }
    return undefined
  }

  #findInFlight(deliveries: number): string | undefined {
    return this.#connections!.obstacle(
      [...this.#agents].map(({ agent }) => agent),
      deliveries,
    )
  }
}

function findBusy(agents: ReadonlySet<Agent>): Obstacle | undefined {
  for (const { identity, statement } of agents) {
    const [reason] = statement?.busy ?? []
    if (reason !== undefined)
      return { why: `process ${identity.pid} (${identity.name}) waits for ${reason}`, pid: identity.pid }
  }
  return undefined
}

/** The work on a request, from its arrival until its response is handed over. */
class OpenWork {
  readonly name: string
  readonly #response: ServerResponse
  readonly #onPause: () => void
  #pauses = 0

  constructor({ method, url = '' }: IncomingMessage, response: ServerResponse, onPause: () => void) {
    this.name = `${method} ${url.slice(0, 100)}`
    this.#response = response
    this.#onPause = onPause
  }

  get isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed
  }

  get isPaused(): boolean {
    return this.#pauses > 0
  }

  pause(): () => void {
    this.#pauses++
    this.#onPause()
    let isOver = false
    return () => {
      if (!isOver) this.#pauses--
      isOver = true
    }
  }
}
