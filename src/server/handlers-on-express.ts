import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { breakBeforeAnswer } from '../transports/http/http-write.ts'
import type { Middleware } from '../transports/middleware/middleware.ts'
import { listHeaders } from '../gateway/replies/headers.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { isNetworkError, type CreateMiddleware, type OwnMsw, type Responder } from './own-handlers.ts'

/** The request that a handler is asked about. */
interface Asked {
  readonly response: ServerResponse
  readonly leaving: AbortSignal
  readonly origin: string
}

/**
 * Handlers on Express by MSW's own middleware. That one ends the process on a network error and on a stream that breaks
 * off, and never says that a client has left; so it is given one handler, which asks the user's and keeps all that from it.
 */
export async function handlersOnExpress(
  respond: Responder,
  { http }: OwnMsw,
  createMiddleware: CreateMiddleware,
): Promise<Middleware> {
  const { default: express } = await import('express')
  const current = new AsyncLocalStorage<Asked>()
  const guarded = http.all('*', async ({ request }) => {
    const asked = current.getStore()!
    const given = await respond(new Request(request, { signal: asked.leaving }), asked.origin)
    if (given === undefined) return undefined
    if (isNetworkError(given)) {
      breakBeforeAnswer(asked.response, 'reset', 0, [])
      return new Response()
    }
    const { status, statusText, body } = given
    const headers = listHeaders(given.headers)
    if (body === null && headers.length === [...given.headers].length) return given
    return new Response(body && unbreakable(body, asked), { status, statusText, headers })
  })
  const application = express().disable('x-powered-by')
  application.use(createMiddleware(guarded) as Parameters<typeof application.use>[0])
  return (request, response, next) => {
    const asked: Asked = {
      response,
      leaving: disconnectSignal(response),
      origin: `http://${request.headers.host}`,
    }
    current.run(asked, () => application(request as never, response as never, next))
  }
}

/** A stream that never fails: where it would, the connection is broken off. It is let go when the client leaves. */
function unbreakable(stream: ReadableStream, { response, leaving }: Asked): ReadableStream {
  const reader = stream.getReader()
  const leave = (): void => void reader.cancel(leaving.reason).catch(() => {})
  leaving.addEventListener('abort', leave)
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
