import { isLoopback } from '../../control/guard.ts'
import { allowedHosts, hostOf } from '../../engine/hosts.ts'
import { networkError } from '../fetch/connection.ts'
import type { HttpMaker } from './msw.ts'

/**
 * What happens to requests that no other handler takes, as in MSW. A function decides about each request. It goes to the
 * network unless the function calls `print.error` or throws.
 */
export type OtherHosts = 'error' | 'warn' | 'bypass' | ((request: Request, print: Print) => void)

interface Print {
  warning: () => void
  error: () => void
}

/** Thrown for a refused request. The message names the host, and how to allow it. */
class RefusedHost extends Error {
  override name = 'RefusedHost'
}

/** The settings of one user of an MSW server. */
interface OtherHostsOptions {
  readonly onUnhandledRequest?: OtherHosts
  /** Host names and addresses whose requests may go to the network. */
  readonly allowHosts?: readonly string[]
}

/** A handler that comes after all others, and the options with which MSW starts. */
interface OtherHostsGuard<Handler> {
  readonly handler: Handler
  readonly listenOptions: object
}

/** Guards of servers that users start. They answer nothing, so one doesn't count for another. */
const guards = new WeakSet<object>()

/** A handler of MSW as far as a guard asks it. */
interface Answering {
  test?: (parts: { request: Request }) => boolean | Promise<boolean>
}

/**
 * Refuses requests to other hosts on a server that its user starts, whose other handlers may come after the guard. What one of them
 * takes is left to it.
 *
 * @param options the hosts that are allowed, and the strategy for the others.
 * @param isOver whether the tests that use the server have ended.
 */
export function guardUserServer<Handler extends object>(
  server: { listHandlers: () => readonly unknown[] },
  http: HttpMaker<Handler>,
  options: OtherHostsOptions,
  isOver: () => boolean,
): Handler {
  const decide = deciderFor(() => [options])
  const guard = http.all(/^/, async ({ request }) => {
    if (isOver()) return undefined
    for (const handler of server.listHandlers() as readonly (Answering & object)[]) {
      if (guards.has(handler) || handler.test === undefined) continue
      if (await handler.test({ request: request.clone() })) return undefined
    }
    return refuse(() => decide(request))
  })
  guards.add(guard)
  return guard
}

/**
 * Decides about requests to other hosts in a handler of our own, because `onUnhandledRequest` differs between versions of
 * MSW. Since 2.13, it prints an error, but the request still goes to the network.
 *
 * @param users the hosts of all users are allowed; the strategy of the last one applies.
 * @param ownOrigin the origin of a page, which loads its own files.
 */
export function guardOtherHosts<Handler>(
  http: HttpMaker<Handler>,
  users: () => readonly OtherHostsOptions[],
  ownOrigin?: string,
): OtherHostsGuard<Handler> {
  const decide = deciderFor(users, ownOrigin)
  return {
    handler: http.all(/^/, ({ request }) => refuse(() => decide(request))),
    // Handlers get no WebSockets. MSW 2 describes a WebSocket by a request, MSW 3 by a frame.
    listenOptions: {
      onUnhandledRequest: decide,
      onUnhandledFrame: ({ frame }: { frame: WebSocketFrame }) => {
        const url = frame.data.connection?.client.url
        if (url !== undefined) decide(new Request(url))
      },
    },
  }
}

/** @returns a function that throws for a refused request. */
function deciderFor(
  users: () => readonly OtherHostsOptions[],
  ownOrigin?: string,
): (request: Request) => void {
  return (request) => {
    const url = new URL(request.url)
    const host = hostOf(url)
    const present = users()
    // SDKs probe fetch with a `data:` URL, which needs no network.
    if (!/^(?:http|ws)s?:$/.test(url.protocol)) return
    if (present.some(({ allowHosts = [] }) => allowedHosts(allowHosts).has(host))) return
    const strategy = present.findLast(({ onUnhandledRequest: given }) => given)?.onUnhandledRequest ?? 'error'
    if (typeof strategy !== 'function' && (url.origin === ownOrigin || isOwnMachine(host))) return
    applyStrategy(strategy, request, url)
  }
}

/** Without a response, MSW sends the request to the network. */
function refuse(decide: () => void): ReturnType<typeof networkError> | undefined {
  try {
    decide()
    return undefined
  } catch (error) {
    return networkError(new TypeError('fetch failed', { cause: toError(error) }))
  }
}

interface WebSocketFrame {
  readonly data: { readonly connection?: { readonly client: { readonly url: URL } } }
}

function applyStrategy(strategy: OtherHosts, request: Request, url: URL): void {
  const what = `${request.method} ${url.origin}${url.pathname}`
  const host = hostOf(url)
  const warning = (): void =>
    console.warn(`[greenroom] Warning: ${what} goes to the network: no handler answers ${host}.`)
  const error = (): never => {
    const message =
      `${what} was refused: no handler answers ${host}, and tests don't use the network. ` +
      `Answer it with a handler of MSW, or allow the host: useGreenroom({ allowHosts: ['${host}'] }).`
    console.error(`[greenroom] Error: ${message}`)
    throw new RefusedHost(message)
  }
  if (typeof strategy === 'function') strategy(request, { warning, error })
  else if (strategy === 'error') error()
  else if (strategy === 'warn') warning()
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Whether a host is this machine: the application under test often listens there, as with supertest. */
function isOwnMachine(host: string): boolean {
  return isLoopback(host) || host.endsWith('.localhost') || host === '0.0.0.0' || host === '::'
}
