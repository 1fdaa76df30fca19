import type { IncomingMessage, ServerResponse } from 'node:http'
import { breakBeforeAnswer } from '../transports/http/http-write.ts'
import type { Middleware } from '../transports/middleware/middleware.ts'
import { drained, endResponse } from '../transports/http/http-write.ts'
import { listHeaders } from '../gateway/replies/headers.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { isNetworkError, type Responder } from './own-handlers.ts'

/** Asks handlers with a fetch request and writes what they respond: for every msw, and without a framework. */
export function handlersByFetch(respond: Responder): Middleware {
  return (request, response, next) => {
    answer(respond, request, response).then((isAnswered) => {
      if (!isAnswered) next()
    }, next)
  }
}

async function answer(
  respond: Responder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const leaving = disconnectSignal(response)
  const origin = `http://${request.headers.host}`
  let given: Response | undefined
  try {
    given = await respond(await fetchRequest(request, origin, leaving), origin)
  } catch (error) {
    // Nobody is left to be told of it.
    if (leaving.aborted) return true
    throw error
  }
  if (given === undefined) return false
  if (isNetworkError(given)) breakBeforeAnswer(response, 'reset', 0, [])
  else await write(given, request, response, leaving)
  return true
}

async function fetchRequest(request: IncomingMessage, origin: string, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/', headers } = request
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  const isBodied = method !== 'GET' && method !== 'HEAD'
  const body = isBodied ? await wholeBody(request) : null
  return new Request(new URL(url, origin), { method, headers: pairs, body, signal })
}

async function wholeBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function write(
  given: Response,
  { method }: IncomingMessage,
  response: ServerResponse,
  leaving: AbortSignal,
): Promise<void> {
  response.statusMessage = given.statusText
  response.writeHead(given.status, listHeaders(given.headers).flat())
  const reader = given.body?.getReader()
  if (!reader || method === 'HEAD') {
    void reader?.cancel().catch(() => {})
    return void response.end()
  }
  response.flushHeaders()
  const leave = (): void => void reader.cancel(leaving.reason).catch(() => {})
  leaving.addEventListener('abort', leave)
  if (leaving.aborted) leave()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!response.write(next.value)) await drained(response)
    }
    await endResponse(response)
  } catch {
    // A stream of the handler's that breaks off breaks the connection off.
    response.destroy()
  }
}
