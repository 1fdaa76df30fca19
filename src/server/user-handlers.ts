import type { IncomingMessage, ServerResponse } from 'node:http'

/** Handles a request before the simulator, or passes the request on with a readable body. */
export type Interceptor = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (request: IncomingMessage) => void,
) => void

/** The functions of the user's own msw that are used, in either major version. */
export interface OwnMsw {
  readonly version: string
  readonly http: { all(path: string, resolver: (info: { request: Request }) => unknown): unknown }
  readonly getResponse: (
    handlers: unknown[],
    request: Request,
    context: { baseUrl: string },
  ) => Promise<Response | undefined>
}

/** The part of `@mswjs/http-middleware` that is mounted on Express. */
export type CreateMiddleware = (...handlers: unknown[]) => unknown

/** A user's handlers, and the packages that serve them. */
export interface UserHandlers {
  readonly list: readonly unknown[]
  readonly msw: OwnMsw
  /** Undefined unless it is installed and supports this msw. */
  readonly createMiddleware: CreateMiddleware | undefined
}

/** Returns the handlers' response to a request; undefined if no handler responds, or one passes it through. */
export type Responder = (request: Request, baseUrl: string) => Promise<Response | undefined>

/** Tries the handlers in order, as msw does. */
export function createResponder({ list, msw }: UserHandlers): Responder {
  return async (request, baseUrl) => {
    const response = await msw.getResponse([...list], request, { baseUrl })
    return response?.headers.get('x-msw-intention') === 'passthrough' ? undefined : response
  }
}

/** Whether a handler simulates a network failure: `HttpResponse.error()`. */
export function isNetworkError(response: Response): boolean {
  return response.type === 'error'
}
