import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { listHeaders } from '../gateway/replies/headers.ts'
import { breakBeforeAnswer } from '../transports/http/http-write.ts'
import type { Middleware } from '../transports/middleware/middleware.ts'
import {
  disconnectSignal,
  isNetworkError,
  type CreateMiddleware,
  type OwnMsw,
  type Responder,
} from './user-handlers.ts'

/** The request for which a handler is called. */
interface CurrentRequest {
  readonly response: ServerResponse
  readonly disconnected: AbortSignal
  readonly origin: string
}

/**
 * Serves handlers on Express by MSW's own middleware. That would end the process on a network error or a failed stream, and
 * it doesn't report disconnects. So it gets one handler, which calls the user's and hides these cases.
 */
export async function handlersOnExpress(
  respond: Responder,
  { http }: OwnMsw,
  createMiddleware: CreateMiddleware,
): Promise<Middleware> {
  const { default: express } = await import('express')
  const current = new AsyncLocalStorage<CurrentRequest>()
  const guarded = http.all('*', async ({ request }) => {
    const { response, disconnected, origin } = current.getStore()!
    const given = await respond(new Request(request, { signal: disconnected }), origin)
    if (given === undefined) return undefined
    if (isNetworkError(given)) {
      breakBeforeAnswer(response, 'reset', 0, [])
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
    const origin = `http://${request.headers.host}`
    current.run({ response, disconnected, origin }, () =>
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
