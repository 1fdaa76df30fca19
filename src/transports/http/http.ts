import { hasContent } from '../../gateway/replies/reply.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Exchange } from '../../gateway/exchange.ts'
import { isPromise } from '../../engine/maybe-promise.ts'
import { closedReply, SimulatorClosed } from '../../simulator/closed.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { dateHeaders } from '../../gateway/replies/headers.ts'
import { respondLater } from './http-later.ts'
import { readRequest, type HttpListenerOptions } from './http-request.ts'
import { writeHead } from './http-write.ts'

/**
 * A listener for node:http. A response is sent in the same turn if its text is ready and nothing delays or breaks it,
 * otherwise later.
 */
export function createHttpListener(
  simulator: Simulator,
  options: HttpListenerOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const formatDate = dateHeaders()

  function respond(x: Exchange, request: IncomingMessage, response: ServerResponse): void {
    // Node removes the socket from a request whose body could not be read completely.
    const socket = request.socket as Socket | null
    if (response.destroyed || !socket || socket.destroyed) return x.settle('aborted', 0)
    const { body, delayMs, effect, inserts } = x.reply
    // A pipelined response has no socket yet. If it were written now, it would be buffered, and a departure of the client
    // would go unnoticed.
    if (delayMs === 0 && effect === undefined && inserts === undefined && response.socket) {
      if (body === null || typeof body === 'string') return respondNow(x, request, response)
      const stream = 'pieces' in body && request.method !== 'HEAD' ? body.atOnce?.() : undefined
      if (stream) return streamNow(x, response, stream)
    }
    respondLater(x, response, simulator.media, formatDate).catch((error: unknown) => giveUp(error, response))
  }

  function respondNow(x: Exchange, request: IncomingMessage, response: ServerResponse): void {
    const { status, body } = x.reply
    const text = (body as string | null) ?? ''
    const bytes = Buffer.byteLength(text)
    writeHead(response, status, x.headers, formatDate(x.now), hasContent(status) ? bytes : undefined)
    x.messages?.begin(status, x.headers)
    if (request.method === 'HEAD' || body === null) {
      response.end()
      return x.settle('completed', 0, { content: null })
    }
    x.messages?.add(text)
    endWith(response, text, bytes)
    x.settle('completed', bytes)
  }

  /** A stream whose pieces are all due. It has no Content-Length, so node:http sends it as one HTTP chunk. */
  function streamNow(x: Exchange, response: ServerResponse, stream: { text: string; chunks: number }): void {
    const bytes = Buffer.byteLength(stream.text)
    writeHead(response, x.reply.status, x.headers, formatDate(x.now))
    x.messages?.begin(x.reply.status, x.headers)
    x.messages?.add(stream.text)
    endWith(response, stream.text, bytes)
    x.settle('completed', bytes, { stream: { chunks: stream.chunks, ended: 'finished' } })
  }

  function giveUp(error: unknown, response: ServerResponse): void {
    if (response.destroyed) return
    if (error instanceof SimulatorClosed) {
      const { status, headers, body } = closedReply(error)
      response.writeHead(status, { ...headers, Connection: 'close' })
      return void response.end(body)
    }
    options.onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    if (response.headersSent) return void response.destroy()
    response.writeHead(500, { 'Content-Type': 'application/json; charset=utf-8' })
    response.end('{"error":{"message":"Panic detected, error: the simulator failed","type":"new_api_panic"}}')
  }

  return (request, response) => {
    try {
      const exchange = simulator.handle(readRequest(request, response, options))
      if (!isPromise(exchange)) return respond(exchange, request, response)
      exchange.then((x) => respond(x, request, response)).catch((error: unknown) => giveUp(error, response))
    } catch (error) {
      giveUp(error, response)
    }
  }
}

/** Text of one byte per character, as most text is, needs no conversion. */
function endWith(response: ServerResponse, text: string, bytes: number): void {
  response.end(text, bytes === text.length ? 'latin1' : 'utf8')
}
