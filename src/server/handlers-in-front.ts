import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, replayRequest, type Middleware } from '../transports/middleware/middleware.ts'
import type { Interceptor, UserHandlers } from './user-handlers.ts'
import { disconnectSignal } from '../transports/http/http-request.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { listHeaders } from '../gateway/replies/headers.ts'
import { breakBeforeAnswer } from '../transports/http/http-write.ts'
import { resetUnanswered } from '../engine/connection-end.ts'

interface HandlersOptions {
  /** Larger bodies aren't read, because the simulator refuses them. */
  readonly bodyLimitBytes: number
  /** Called when a handler fails. */
  readonly onWarning: (message: string) => void
}

/**
 * Runs a user's handlers before the simulator, by `@mswjs/http-middleware` on Express. If no handler responds, the request
 * passes on with its body.
 */
export async function handlersInFront(
  handlers: UserHandlers,
  options: HandlersOptions,
): Promise<Interceptor> {
  const middleware = await mountHandlers(handlers)
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

/** Reads a body up to the limit. A larger body is read slightly beyond it. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
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

/** The request for which a handler is called. */
interface CurrentRequest {
  readonly response: ServerResponse
  readonly disconnected: AbortSignal
  readonly baseUrl: string
}

/**
 * Serves handlers on Express by MSW's own middleware. That would end the process on a network error or a failed stream, and
 * it doesn't report disconnects. So it gets one handler, which calls the user's and hides these cases.
 */
async function mountHandlers({ list, msw, createMiddleware }: UserHandlers): Promise<Middleware> {
  const { default: express } = await import('express')
  const current = new AsyncLocalStorage<CurrentRequest>()
  const guarded = msw.http.all('*', async ({ request }) => {
    const { response, disconnected, baseUrl } = current.getStore()!
    const signalled = new Request(request, { signal: disconnected })
    const given = await msw.getResponse([...list], signalled, { baseUrl })
    if (given === undefined || given.headers.get('x-msw-intention') === 'passthrough') return undefined
    if (given.type === 'error') {
      breakBeforeAnswer(response, resetUnanswered, 0, [])
      return new Response()
    }
    const { status, statusText, body } = given
    const headers = listHeaders(given.headers)
    if (body === null && headers.length === [...given.headers].length) return given
    return new Response(body && catchFailure(body, response, disconnected), { status, statusText, headers })
  })
  const application = express().disable('x-powered-by')
  application.use(createMiddleware(guarded) as Parameters<typeof application.use>[0])
  return (request, response, next) => {
    const disconnected = disconnectSignal(response)
    const baseUrl = `http://${request.headers.host}`
    current.run({ response, disconnected, baseUrl }, () =>
      application(request as never, response as never, next),
    )
  }
}

/** A stream that closes the connection when the original fails. It is cancelled when the client disconnects. */
function catchFailure(
  stream: ReadableStream,
  response: ServerResponse,
  disconnected: AbortSignal,
): ReadableStream {
  const reader = stream.getReader()
  disconnected.addEventListener('abort', () => void reader.cancel(disconnected.reason).catch(() => {}))
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await reader.read()
          if (next.done) controller.close()
          else controller.enqueue(next.value)
        } catch {
          response.destroy()
          controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
