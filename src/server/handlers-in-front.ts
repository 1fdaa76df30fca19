import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from '../transports/middleware/middleware.ts'
import { hasBody, replayRequest } from '../transports/middleware/middleware.ts'
import type { Interceptor } from './interceptor.ts'
import { responderOf, type OwnHandlers } from './own-handlers.ts'

/** What the handlers' way needs to know. */
export interface HandlersOptions {
  /** Bodies above it aren't read: the gateway refuses them. */
  readonly bodyLimitBytes: number
  /** Told of handlers that fail. */
  readonly onWarning: (message: string) => void
}

/**
 * Puts a user's own handlers in front of the gateway: through `@mswjs/http-middleware` on Express where both are there and
 * understand the handlers' msw, else by a way of our own. What no handler answers goes on to the gateway, with its body.
 */
export async function handlersInFront(own: OwnHandlers, options: HandlersOptions): Promise<Interceptor> {
  const way = await wayOf(own)
  const ask = async (
    request: IncomingMessage,
    response: ServerResponse,
    gateway: (request: IncomingMessage) => void,
  ): Promise<void> => {
    // A handler may read the body, and the gateway reads it behind.
    const body = hasBody(request) ? await bodyOf(request, options.bodyLimitBytes) : undefined
    const again = (): IncomingMessage => (body ? replayRequest(request, body) : request)
    if (body && body.length > options.bodyLimitBytes) return gateway(again())
    way(again(), response, (error) => {
      if (error === undefined) gateway(again())
      else fail(error, request, response, options)
    })
  }
  return (request, response, gateway) => {
    if (!isFetchable(request)) return gateway(request)
    ask(request, response, gateway).catch((error: unknown) => fail(error, request, response, options))
  }
}

async function wayOf(own: OwnHandlers): Promise<Middleware> {
  if (own.createMiddleware) {
    const { handlersOnExpress } = await import('./handlers-on-express.ts')
    return handlersOnExpress(responderOf(own), own.msw, own.createMiddleware)
  }
  const { handlersByFetch } = await import('./handlers-by-fetch.ts')
  return handlersByFetch(responderOf(own))
}

/** The gateway's body limit is announced to it: a byte more is enough to be refused. */
async function bodyOf(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > limitBytes) break
  }
  return Buffer.concat(chunks)
}

/** What isn't, as `TRACE` or the path `//`, no handler could be asked about. */
function isFetchable({ method, url = '', headers: { host } }: IncomingMessage): boolean {
  return (
    method !== 'TRACE' && method !== 'CONNECT' && host !== undefined && URL.canParse(url, `http://${host}`)
  )
}

/** A handler of the user's own that fails is answered for, without showing where. */
function fail(
  error: unknown,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { onWarning }: HandlersOptions,
): void {
  if (response.destroyed) return
  const reason = error instanceof Error ? error.message : String(error)
  const message = `A handler failed on ${method} ${url.split('?', 1)[0]!.slice(0, 200)}: ${reason.slice(0, 500)}`
  onWarning(message)
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify({ error: { code: 'handler_failed', message, type: 'greenroom_handlers' } })
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.statusMessage = ''
  response.writeHead(500, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}
