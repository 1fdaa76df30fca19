import type { IncomingMessage, ServerResponse } from 'node:http'
import { listHeaders } from '../gateway/replies/headers.ts'
import { breakBeforeAnswer, untilDrained, endResponse } from '../transports/http/http-write.ts'
import type { Middleware } from '../transports/middleware/middleware.ts'
import { disconnectSignal, isNetworkError, type Responder } from './user-handlers.ts'

/**
 * Calls handlers with a fetch Request and writes their Response. Works with every version of msw, and without a framework.
 */
export function handlersByFetch(respond: Responder): Middleware {
  return (request, response, next) => {
    handle(respond, request, response).then((isHandled) => {
      if (!isHandled) next()
    }, next)
  }
}

async function handle(
  respond: Responder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const disconnected = disconnectSignal(response)
  const origin = `http://${request.headers.host}`
  let given: Response | undefined
  try {
    given = await respond(await toFetchRequest(request, origin, disconnected), origin)
  } catch (error) {
    // The client has disconnected, so the failure is not reported.
    if (disconnected.aborted) return true
    throw error
  }
  if (given === undefined) return false
  if (isNetworkError(given)) breakBeforeAnswer(response, 'reset', 0, [])
  else await writeResponse(given, request, response, disconnected)
  return true
}

async function toFetchRequest(
  request: IncomingMessage,
  origin: string,
  signal: AbortSignal,
): Promise<Request> {
  const { method = 'GET', url = '/', headers } = request
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  const mayHaveBody = method !== 'GET' && method !== 'HEAD'
  const body = mayHaveBody ? await readBody(request) : null
  return new Request(new URL(url, origin), { method, headers: pairs, body, signal })
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function writeResponse(
  given: Response,
  { method }: IncomingMessage,
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<void> {
  response.statusMessage = given.statusText
  response.writeHead(given.status, listHeaders(given.headers).flat())
  const reader = given.body?.getReader()
  if (!reader || method === 'HEAD') {
    void reader?.cancel().catch(() => {})
    return void response.end()
  }
  response.flushHeaders()
  const cancel = (): void => void reader.cancel(disconnected.reason).catch(() => {})
  disconnected.addEventListener('abort', cancel)
  if (disconnected.aborted) cancel()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!response.write(next.value)) await untilDrained(response)
    }
    await endResponse(response)
  } catch {
    // If a handler's stream fails, the connection closes.
    response.destroy()
  }
}
