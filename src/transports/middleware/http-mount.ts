import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator } from '../../simulator/simulator.ts'
import { createHttpListener } from '../http/http.ts'
import { withUnreadBody } from './http-replayed.ts'

/**
 * What Express, connect and the like take: node:http's own request and response, and who comes next.
 *
 * @example
 * import { createServer } from 'node:http'
 * const gateway: Middleware = sim.middleware()
 * const server = createServer((request, response) => {
 *   gateway(request, response, () => response.writeHead(404).end('a path of nobody'))
 * })
 * server.listen(0).close()
 */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** What frameworks say of where a request was mounted. */
interface Mounted {
  readonly baseUrl?: unknown
  readonly originalUrl?: unknown
}

/**
 * The socket door within somebody else's server. What the gateway doesn't serve goes on to whoever comes next, and so do
 * requests whose body was read before and can't be had again, as an error.
 *
 * @param onBug told of our own mistakes.
 */
export function createMiddleware(simulator: Simulator, onBug: (message: string) => void): Middleware {
  const doorAt = (scheme: 'http' | 'https', mount: string): ReturnType<typeof createHttpListener> => {
    const below: Simulator = {
      ...simulator,
      // Links lead back to where the application has put us.
      handle: (incoming) => simulator.handle({ ...incoming, origin: incoming.origin + mount }),
    }
    return createHttpListener(below, { origin: () => `${scheme}://localhost`, scheme, onBug })
  }
  let latest = { at: '', door: doorAt('http', '') }
  return (request, response, next) => {
    if (simulator.unserved(request.method!, request.url!) !== undefined) return next()
    let whole: IncomingMessage
    try {
      whole = withUnreadBody(request)
    } catch (error) {
      return next(error)
    }
    const scheme = 'encrypted' in request.socket ? 'https' : 'http'
    const mount = mountOf(request)
    const at = scheme === 'http' ? mount : `${scheme}:${mount}`
    // Nearly always the same.
    if (at !== latest.at) latest = { at, door: doorAt(scheme, mount) }
    latest.door(whole, response)
  }
}

/** The part of the path that the framework has taken off: Express says it, others only what there was before. */
function mountOf(request: IncomingMessage): string {
  const { baseUrl, originalUrl } = request as Mounted
  if (typeof baseUrl === 'string') return baseUrl
  if (typeof originalUrl !== 'string' || !originalUrl.endsWith(request.url!)) return ''
  return originalUrl.slice(0, originalUrl.length - request.url!.length)
}
