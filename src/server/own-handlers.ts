/** What of a user's own msw is needed, in either major. */
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

/** A user's own handlers, and what is there to serve them. */
export interface OwnHandlers {
  readonly list: readonly unknown[]
  readonly msw: OwnMsw
  /** Only where it is installed, and understands this msw. */
  readonly createMiddleware: CreateMiddleware | undefined
}

/** What handlers make of a request; undefined where none of them answers, or one lets it through. */
export type Responder = (request: Request, baseUrl: string) => Promise<Response | undefined>

/** Asks handlers one after the other, as msw does. */
export function responderOf({ list, msw }: OwnHandlers): Responder {
  return async (request, baseUrl) => {
    const response = await msw.getResponse([...list], request, { baseUrl })
    return response?.headers.get('x-msw-intention') === 'passthrough' ? undefined : response
  }
}

/** Whether it is the response by which a handler says that the network fails: `HttpResponse.error()`. */
export function isNetworkError(response: Response): boolean {
  return response.type === 'error'
}
