import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, replayRequest, type Middleware } from '../transports/middleware/middleware.ts'
import { createResponder, type Interceptor, type UserHandlers } from './user-handlers.ts'

export interface HandlersOptions {
  /** Larger bodies aren't read, because the simulator refuses them. */
  readonly bodyLimitBytes: number
  /** Called when a handler fails. */
  readonly onWarning: (message: string) => void
}

/**
 * Runs a user's handlers before the simulator: through `@mswjs/http-middleware` on Express if both are installed and
 * support the handlers' msw, otherwise through our own adapter. If no handler responds, the request passes on with its
 * body.
 */
export async function handlersInFront(
  handlers: UserHandlers,
  options: HandlersOptions,
): Promise<Interceptor> {
  const middleware = await createMiddleware(handlers)
  const intercept: (...parameters: Parameters<Interceptor>) => Promise<void> = async (
    request,
    response,
    pass,
  ) => {
    // A handler may read the body, and then the simulator reads it again.
    const body = hasBody(request) ? await readBody(request, options.bodyLimitBytes) : undefined
    const copy = (): IncomingMessage => (body ? replayRequest(request, body) : request)
    if (body && body.length > options.bodyLimitBytes) return pass(copy())
    middleware(copy(), response, (error) => {
      if (error === undefined) pass(copy())
      else reportFailure(error, request, response, options)
    })
  }
  return (request, response, pass) => {
    if (!isFetchable(request)) return pass(request)
    intercept(request, response, pass).catch((error: unknown) =>
      reportFailure(error, request, response, options),
    )
  }
}

async function createMiddleware(handlers: UserHandlers): Promise<Middleware> {
  if (handlers.createMiddleware) {
    const { handlersOnExpress } = await import('./handlers-on-express.ts')
    return handlersOnExpress(createResponder(handlers), handlers.msw, handlers.createMiddleware)
  }
  const { handlersByFetch } = await import('./handlers-by-fetch.ts')
  return handlersByFetch(createResponder(handlers))
}

/** Reads a body up to the limit. A larger body is read slightly beyond it. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > limitBytes) break
  }
  return Buffer.concat(chunks)
}

/** Whether a fetch Request can represent a request. It can't represent `TRACE` and the path `//`. */
function isFetchable({ method, url = '', headers: { host } }: IncomingMessage): boolean {
  return (
    method !== 'TRACE' && method !== 'CONNECT' && host !== undefined && URL.canParse(url, `http://${host}`)
  )
}

/** Responds in place of a failed handler, without its stack trace. */
function reportFailure(
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
