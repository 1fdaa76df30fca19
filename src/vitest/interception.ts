import { findHttp, mswHandlers, resolveBaseUrl, type HttpMaker } from '../transports/msw/msw.ts'
import { guardOtherHosts, guardUserServer } from '../transports/msw/other-hosts.ts'
import { allowedHosts } from '../engine/hosts.ts'
import { reportBug } from '../simulator/options.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { GreenroomError, type GreenroomOptions, type Interception } from './options.ts'
import type { MswServer } from './options.ts'

/** How requests of clients reach the simulator while tests run. */
export interface ActiveInterception {
  /** The base URL for clients, without a namespace. */
  readonly baseUrl: string
  /** Adds the handlers again before a test, because the owner of a server may have reset it. */
  readonly renew: () => void
  readonly close: () => Promise<void> | void
}

export type InterceptionOptions = Pick<
  GreenroomOptions,
  'via' | 'baseUrl' | 'server' | 'http' | 'onUnhandledRequest' | 'allowHosts'
>

/**
 * Connects clients with a simulator.
 * @throws {GreenroomError} for contradictory options, and if msw is required but missing.
 */
export async function startInterception(
  simulator: Simulator,
  options: InterceptionOptions,
): Promise<ActiveInterception> {
  const msw = await loadMsw(options)
  const via = options.via ?? (options.server || msw ? 'msw' : 'port')
  checkOptions(via, options)
  if (via === 'port') return openPort(simulator)
  const baseUrl = readBaseUrl(options)
  if (via === 'fetch') return { baseUrl, renew: () => {}, close: () => {} }
  const http = options.http as HttpMaker<unknown> | undefined
  const handlers = mswHandlers<unknown>(simulator, { baseUrl, ...(http && { http }) })
  if (!options.server) return { baseUrl, ...sharedServer.open(handlers, msw!, options) }
  const { server } = options
  let isOver = false
  const maker = (http ?? findHttp()) as HttpMaker<object>
  const guarded = [...handlers, guardUserServer(server, maker, options, () => isOver)]
  const restore = keepHandlers(server, guarded)
  return {
    baseUrl,
    renew: () => addMissing(server, guarded),
    close: () => {
      isOver = true
      restore()
    },
  }
}

/**
 * Adds handlers again whenever the owner of a server resets it. Otherwise, requests would go to the network.
 * @returns a function that stops it.
 */
function keepHandlers(server: MswServer, handlers: readonly unknown[]): () => void {
  const { resetHandlers } = server
  if (resetHandlers === undefined) return () => {}
  let isOpen = true
  const keeping = (...next: unknown[]): void => {
    resetHandlers.apply(server, next)
    if (isOpen) addMissing(server, handlers)
  }
  server.resetHandlers = keeping
  return () => {
    isOpen = false
    if (server.resetHandlers === keeping) server.resetHandlers = resetHandlers
  }
}

/** Reads the base URL, without a trailing slash. */
export function readBaseUrl({
  baseUrl = 'https://gateway.example',
}: Pick<GreenroomOptions, 'baseUrl'>): string {
  if (baseUrl === '*') {
    throw new GreenroomError(
      'Failed to use baseUrl "*": tests need the URL that their client calls, such as "https://gateway.example". ' +
        'To answer every host, use sim.handlers() with a server of your own.',
    )
  }
  return resolveBaseUrl(baseUrl).replace(/\/+$/, '')
}

function addMissing(server: MswServer, handlers: readonly unknown[]): void {
  const present = new Set(server.listHandlers())
  if (handlers.some((handler) => !present.has(handler))) server.use(...handlers)
}

/** @throws {GreenroomError} for an invalid host. */
export function checkHosts({ allowHosts = [] }: InterceptionOptions): void {
  try {
    allowedHosts(allowHosts)
  } catch (error) {
    throw new GreenroomError(`Failed to use allowHosts: ${(error as Error).message}`)
  }
}

async function openPort(simulator: Simulator): Promise<ActiveInterception> {
  const { listen } = await import('../server/server.ts')
  // The simulator outlives its port.
  const shared = { ...simulator, close: async () => {} }
  const { url, close } = await listen(shared, { port: 0, host: '127.0.0.1', onWarning: reportBug })
  return { baseUrl: url, renew: () => {}, close }
}

interface Msw {
  readonly setupServer: (...handlers: unknown[]) => OwnServer
  readonly http: HttpMaker<unknown>
}

/** A server of MSW that only this file uses. */
interface OwnServer extends MswServer {
  listen(options: object): void
  resetHandlers(): void
  close(): void
}

async function loadMsw({ via, server, http }: InterceptionOptions): Promise<Msw | undefined> {
  if (server || (via !== undefined && via !== 'msw')) return undefined
  try {
    const { setupServer } = await import('msw/node')
    return { setupServer, http: http ?? (await import('msw')).http } as unknown as Msw
  } catch (error) {
    if (via === undefined) return undefined
    throw new GreenroomError(
      `Failed to use msw: ${(error as Error).message}. Install it (npm install --save-dev msw), or use via: 'port'.`,
    )
  }
}

function checkOptions(used: Interception, options: InterceptionOptions): void {
  const { via, baseUrl, server } = options
  if (used === 'port' && baseUrl !== undefined) {
    const why = via ? '' : ', and msw, which could answer there, is not installed'
    throw new GreenroomError(
      `Failed to use ${baseUrl}: via a port the gateway has its own URL${why}. Read gateway.baseUrl instead.`,
    )
  }
  if (server && used !== 'msw') {
    throw new GreenroomError(`Failed to use the server of msw: via is "${used}". Remove one of them.`)
  }
  checkHosts(options)
  for (const name of ['allowHosts', 'onUnhandledRequest'] as const) {
    if (options[name] === undefined || used === 'msw') continue
    throw new GreenroomError(
      `Failed to use ${name}: via "${used}" no request to other hosts is intercepted. Remove ${name}.`,
    )
  }
}

/**
 * One MSW server for every `useGreenroom` of a file. If each had its own, it would report the requests of the others. The
 * handlers that were added last come first.
 */
class SharedServer {
  #server: OwnServer | undefined
  readonly #users = new Map<readonly unknown[], InterceptionOptions>()

  open(
    handlers: readonly unknown[],
    { setupServer, http }: Msw,
    options: InterceptionOptions,
  ): Pick<ActiveInterception, 'renew' | 'close'> {
    this.#users.set(handlers, options)
    if (!this.#server) {
      const guard = guardOtherHosts(http, () => [...this.#users.values()])
      this.#server = setupServer(guard.handler)
      this.#server.listen(guard.listenOptions)
    }
    const server = this.#server
    server.use(...handlers)
    return {
      renew: () => addMissing(server, handlers),
      close: () => {
        this.#users.delete(handlers)
        server.resetHandlers()
        for (const others of this.#users.keys()) server.use(...others)
        if (this.#users.size > 0) return
        server.close()
        this.#server = undefined
      },
    }
  }
}

const sharedServer = new SharedServer()
