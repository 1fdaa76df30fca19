import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Somebody who is asked before the gateway, and answers or hands the request on: the same, or one like it whose body can
 * still be read.
 */
export type Interceptor = (
  request: IncomingMessage,
  response: ServerResponse,
  gateway: (request: IncomingMessage) => void,
) => void

/** Puts somebody in front of a door. */
export function withInterceptor(inFront: Interceptor, door: RequestListener): RequestListener {
  return (request, response) =>
    inFront(request, response, (passed) => door(passed as Parameters<RequestListener>[0], response))
}
