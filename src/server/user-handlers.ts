import type { IncomingMessage, ServerResponse } from 'node:http'

/** Handles a request before the simulator, or passes the request on with a readable body. */
export type Interceptor = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (request: IncomingMessage) => void,
) => void

/** The functions of the user's own msw that are used. */
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
  readonly createMiddleware: CreateMiddleware
}
