import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createHttpListener } from '../transports/http/http.ts'
import { nodeHttp } from '../transports/http/node-http.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { AgentLink } from './agents/agent-link.ts'
import { refuseMalformed, watchConnections } from './connections.ts'
import { portLimits, type PortLimits } from './limits.ts'
import { refuseOtherProtocol } from './other-protocols.ts'
import type { Interceptor } from './user-handlers.ts'

/** Where to listen. */
interface ListenOptions {
  /** The port; 0 picks a free one. */
  port: number
  /** The host; loopback by default. */
  host: string
  onWarning: (message: string) => void
  /** Handles each request before the simulator. */
  inFront?: Interceptor
  /** Overrides default limits, for tests. */
  limits?: Partial<PortLimits>
}

/** A simulator that listens. */
export interface ListeningServer {
  /** The base URL, such as `http://127.0.0.1:4646`. */
  readonly url: string
  readonly port: number
  /** The simulator. Its `control` is the control API without a socket. */
  readonly simulator: Simulator
  /**
   * Makes time wait for a process and its descendants, as soon as one of them takes part in the clock. Use it for clients
   * with `--import greenroom/virtual-timers` that are started side by side. @returns a function that ends this.
   */
  readonly follow: (pid: number) => () => void
  /** Stops listening, closes open connections, ends encoders. */
  readonly close: () => Promise<void>
}

/**
 * Thrown if the server can't start. The message says why, and what to do.
 *
 * @example
 * await startServer({ clock: { mode: 'host' } }) // throws ServerError: Failed to start: …
 */
export class ServerError extends Error {
  override name = 'ServerError'
}

/**
 * Puts a simulator on a port.
 * @throws {ServerError} if it can't listen on the address.
 */
export async function listen(simulator: Simulator, options: ListenOptions): Promise<ListeningServer> {
  let url = ''
  const limits = { ...portLimits, ...options.limits }
  const listener = createHttpListener(simulator, {
    origin: () => url,
    scheme: 'http',
    workOf: (request, response) => agents.workOf(request, response),
    onBug: options.onWarning,
  })
  // The listener itself responds to a missing Host and an unknown Expect, in the gateway's envelope.
  const server = nodeHttp.createServer(
    {
      joinDuplicateHeaders: true,
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytes,
      keepAliveTimeout: limits.idleMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.everyMs,
    },
    (request, response) => {
      if (isForDashboard(request)) return void openDashboard(request, response)
      const pass = (passed: IncomingMessage): void => listener(passed as typeof request, response)
      if (options.inFront) options.inFront(request, response, pass)
      else listener(request, response)
    },
  )
  // Node would drop headers beyond 2,000 without a word. Their bytes are limited.
  server.maxHeadersCount = 0
  const agents = new AgentLink(server, simulator)
  server.on('checkExpectation', listener)
  const warnOnce = withoutRepeats(options.onWarning)
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    const isFirst = (socket as Socket).bytesRead === error.rawPacket?.length
    const isOther =
      isFirst && refuseOtherProtocol(error.rawPacket, socket as Socket, { url, onWarning: warnOnce })
    if (!isOther) refuseMalformed(error, socket as Socket)
  })
  const endWatch = watchConnections(server, limits)
  await bind(server, options, limits.waiting).catch((error: unknown) => {
    endWatch()
    throw error
  })
  const { port } = server.address() as AddressInfo
  url = `http://${reachableHost(options.host)}:${port}`
  return {
    url,
    port,
    simulator,
    follow: (pid) => agents.follow(pid),
    close: async () => {
      endWatch()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await simulator.close()
      await closed
    },
  }
}

/** Passes each warning on once: a client tries again. */
function withoutRepeats(warn: (message: string) => void): (message: string) => void {
  const sent = new Set<string>()
  return (message) => {
    if (!sent.has(message)) warn(message)
    sent.add(message)
  }
}

/** Whether a browser opens the dashboard or a file of it. Other clients get JSON at the same URLs. */
function isForDashboard({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!/^\/(?:_greenroom\/app\/|(?:_greenroom\/?)?(?:\?|$))/.test(url)) return false
  return url.startsWith('/_greenroom/app/') || (headers.accept ?? '').includes('text/html')
}

async function openDashboard(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { serveDashboard } = await import('./dashboard.ts')
  serveDashboard(request, response)
}

function bind(server: Server, { port, host }: ListenOptions, backlog: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ServerError(explainListenError(error, host, port))),
    )
    server.listen({ port, host, backlog }, resolve)
  })
}

/** Explains why a server can't listen, and what to do. */
export function explainListenError(
  error: Pick<NodeJS.ErrnoException, 'code' | 'message'>,
  host: string,
  port: number,
): string {
  const failed = `Failed to listen on ${host}:${port}`
  const others = `--port ${port + 1}, or --port 0 for a free one`
  if (error.code === 'EADDRINUSE') {
    return `${failed}: the port is in use. Stop the program that listens there, or use another: ${others}.`
  }
  // Windows reserves ranges of ports, such as for Hyper-V.
  if (error.code === 'EACCES' && port > 1023)
    return `${failed}: the system has reserved this port. Use another: ${others}.`
  if (error.code === 'EACCES')
    return `${failed}: this port needs more rights. Use one above 1023, such as --port 4646.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return `${failed}: this machine has no such address. Use --host 127.0.0.1, or --host 0.0.0.0 for all.`
  }
  return `${failed}: ${error.message}.`
}

/** A host that a client can connect to: loopback if the server listens on all addresses. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
