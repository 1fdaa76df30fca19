import type { HttpHandler, HttpResponseResolver, Path } from 'msw'
import * as z from 'zod/mini'
import { checkedLater } from '../../simulator/check-options.ts'
import { firstMistake } from '../../scenario/schema/mistakes.ts'
import { type Simulator, closedReply, SimulatorClosed } from '../../simulator/simulator.ts'
import { findConnection, networkError } from '../fetch/connection.ts'
import { answerRequest } from '../fetch/answer-request.ts'
import { followRedirects } from '../fetch/create-fetch.ts'

/**
 * The part of msw that makes a handler.
 *
 * @example
 * import { http, type HttpHandler } from 'msw'
 * const maker: HttpMaker<HttpHandler> = http
 * const handlers = sim.handlers({ baseUrl: 'https://gateway.example', http: maker })
 * handlers.length // → 1
 */
export interface HttpMaker<Handler> {
  all: (path: Path, resolver: HttpResponseResolver) => Handler
}

/**
 * Options of `handlers`.
 *
 * @example
 * import type { HttpHandler } from 'msw'
 * import { setupServer } from 'msw/node'
 * const options: HandlerOptions<HttpHandler> = { baseUrl: 'https://gateway.example/api' }
 * const server = setupServer(...sim.handlers(options))
 * server.listHandlers().length // → 1
 */
export interface HandlerOptions<Handler> {
  /**
   * The base URL that your client calls, such as `https://gateway.example/api`. In a page and in jsdom, a path such as
   * `/api` works too. The simulator responds to everything below it. Default `*`: the paths of the gateway on every host
   * and port.
   */
  baseUrl?: string
  /** The `http` of your msw. Node finds it automatically, except in Jest with ES modules. */
  http?: HttpMaker<Handler>
  /**
   * What happens to a path below the base URL that the gateway doesn't serve. Default `warn`. Without a base URL, a path
   * that resembles none of the gateway is left to the next handlers.
   */
  onUnknownPath?: UnknownPathStrategy
}

const isHttp = (value: unknown): boolean =>
  typeof (value as Partial<HttpMaker<never>> | null)?.all === 'function'

const argumentsSchema = z.strictObject({
  options: z.strictObject({
    baseUrl: z.optional(z.string()),
    http: z.optional(z.custom(isHttp, 'must be the http of msw')),
    onUnknownPath: checkedLater,
  }),
})

/**
 * Handlers for MSW's `setupServer` and `setupWorker`.
 *
 * @throws {Error} for an invalid base URL, an unknown option or strategy, and if msw can't be found.
 */
export function mswHandlers<Handler = HttpHandler>(
  simulator: Simulator,
  options: HandlerOptions<Handler> = {},
): Handler[] {
  const problem = firstMistake(argumentsSchema, { options })
  if (problem !== undefined) {
    const example = "sim.handlers({ baseUrl: 'https://gateway.example' })"
    throw new Error(`Failed to make handlers: ${problem} Write ${example}.`)
  }
  const { baseUrl = '*', http = findHttp<Handler>(), onUnknownPath = 'warn' } = options
  const base = readBase(baseUrl)
  const isForeign = (hint: string): boolean =>
    base.isAny && hint === '' && options.onUnknownPath === undefined
  checkStrategy(onUnknownPath)
  const report = onUnknownPath === 'bypass' ? undefined : unknownPathReport(onUnknownPath)
  // One handler for all paths: msw tries handlers one by one, and our router is faster.
  const everything = new RegExp(`^(?:${base.pattern}(?:[/?].*)?|${emptyDataPattern})$`)
  const answer: HttpResponseResolver = async ({ request }) => {
    if (request.url === emptyDataUrl) return new Response('')
    const hint = simulator.unserved(
      request.method,
      new URL(request.url).pathname.slice(base.prefix.length) || '/',
    )
    // Without a response, msw tries the handlers after this one, and then the network.
    if (hint !== undefined && (!report || isForeign(hint))) return undefined
    const connection = findConnection(request)
    try {
      const origin = base.isAny ? new URL(request.url).origin : base.href
      const way = { transport: 'msw', origin, prefix: base.prefix, connection } as const
      const respond = (): Promise<Response | TypeError> => answerRequest(simulator, request, way)
      // Clients that are built on `http.request` follow redirects themselves.
      const answer = await (connection ? respond() : followRedirects(request, respond))
      // A preflight is not reported, since the request itself follows.
      const isReported = hint !== undefined && request.method !== 'OPTIONS'
      const failed = isReported ? report?.(request, hint) : undefined
      if (failed) return failed
      return answer instanceof Error ? networkError(answer) : answer
    } catch (error) {
      // The client has left. If this threw, msw would report an error of the handler.
      if (request.signal.aborted || connection?.signal.aborted) return Response.error()
      if (error instanceof SimulatorClosed) {
        const { status, headers, body } = closedReply(error)
        return new Response(body, { status, headers })
      }
      throw error
    }
  }
  return [withHeader(http.all(everything, answer), base.isAny ? '*' : `${base.href}/*`)]
}

/** The URL that the `openai` package fetches before it uploads a form, to find the class of responses. */
const emptyDataUrl = 'data:,'
/** msw compares origin and path. A `data:` URL has the origin `null`. */
const emptyDataPattern = 'null,'

/** Names the handler in `server.listHandlers()`, which would otherwise list the regular expression. */
function withHeader<Handler>(handler: Handler, paths: string): Handler {
  const { info } = handler as { info?: { header?: string } }
  if (info?.header !== undefined) info.header = `ALL ${paths} (greenroom)`
  return handler
}

function checkStrategy(strategy: UnknownPathStrategy): void {
  if (typeof strategy === 'function' || ['warn', 'error', 'bypass'].includes(strategy)) return
  throw new Error(
    `Failed to make handlers: onUnknownPath is ${JSON.stringify(strategy)}. Give "warn", "error", "bypass" or a function.`,
  )
}

/** Resolves a base URL. A path such as `/api` is relative to the page, also if jsdom imitates the page. */
export function resolveBaseUrl(baseUrl: string): string {
  const page = baseUrl.startsWith('/') ? globalThis.location?.origin : undefined
  return page === undefined || page === 'null' ? baseUrl : page + baseUrl
}

interface Base {
  readonly href: string
  readonly prefix: string
  readonly pattern: string
  /** Whether it matches every host. */
  readonly isAny: boolean
}

function readBase(given: string): Base {
  if (given === '*') return { href: '', prefix: '', pattern: 'https?://[^/?]+', isAny: true }
  const baseUrl = resolveBaseUrl(given)
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new Error(
      `Failed to make handlers: baseUrl is "${baseUrl}". Give the URL that your client calls, such as ` +
        `"https://gateway.example", or in a page a path, such as "/api", or "*" for every host.`,
    )
  }
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const href = origin + prefix
  return { href, prefix, pattern: escapePattern(href), isAny: false }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Requires msw: it is an optional peer, and creating handlers is synchronous, so it can't be imported. */
/** The `http` of the msw that is installed next to greenroom. */
export function findHttp<Handler>(): HttpMaker<Handler> {
  try {
    const { createRequire } = globalThis.process.getBuiltinModule('node:module')
    return (createRequire(import.meta.url)('msw') as { http: HttpMaker<Handler> }).http
  } catch (error) {
    const { message } = error as Error
    // A page has no modules to require.
    const isMissing = globalThis.process === undefined || message.startsWith("Cannot find module 'msw'")
    // msw is installed, but require can't load its module format, as in Jest.
    throw new Error(
      isMissing
        ? 'Failed to make handlers: msw was not found. Install it (npm install --save-dev msw), or pass its ' +
            'http: sim.handlers({ baseUrl, http }).'
        : `Failed to make handlers: msw could not be loaded from here (${message.split('\n', 1)[0]}). Import it ` +
            "yourself, and pass its http: import { http } from 'msw'; sim.handlers({ baseUrl, http }).",
    )
  }
}

/**
 * What happens to a request that the gateway doesn't serve, as in MSW. `warn` and `error` print it with a suggestion, once
 * for each path. With `warn` the gateway responds; with `error` the request fails. `bypass` leaves it to the next handlers,
 * and then to the network. A function gets `warn` and `error` as methods of `print`.
 *
 * @example
 * import { getResponse, http, HttpResponse } from 'msw'
 * const onUnknownPath: UnknownPathStrategy = 'bypass'
 * const own = http.get('https://gateway.example/hello', () => HttpResponse.text('hello'))
 * const handlers = [...sim.handlers({ baseUrl: 'https://gateway.example', onUnknownPath }), own]
 * const response = await getResponse(handlers, new Request('https://gateway.example/hello'))
 * await response?.text() // → 'hello'
 */
export type UnknownPathStrategy = 'warn' | 'error' | 'bypass' | UnknownPathCallback

/**
 * Decides about a request that the gateway doesn't serve. Unless it calls `print.error`, the gateway responds with an
 * error.
 *
 * @example
 * const onUnknownPath: UnknownPathCallback = ({ url }, print) => {
 *   if (!url.endsWith('/favicon.ico')) print.error()
 * }
 * const handlers = sim.handlers({ baseUrl: 'https://gateway.example', onUnknownPath })
 */
export type UnknownPathCallback = (
  request: Request,
  print: { warning: () => void; error: () => void },
) => void

/** The maximum number of reported paths, so a client that invents paths can't fill the memory. */
const maxReported = 1_000

/**
 * Reports requests that no operation serves, each path once.
 *
 * @returns a function that returns the response with which the request fails; undefined if the gateway answers.
 */
function unknownPathReport(
  strategy: Exclude<UnknownPathStrategy, 'bypass'>,
): (request: Request, hint: string) => Response | undefined {
  const reported = new Set<string>()
  return (request, hint) => {
    const { origin, pathname } = new URL(request.url)
    const what = `${request.method} ${origin}${pathname}`
    const isNew = !reported.has(what) && reported.size < maxReported
    let failed: Response | undefined
    const print = {
      warning: () => {
        if (isNew) console.warn(`[greenroom] Warning: ${sentences(what, hint, 'It answered with an error.')}`)
      },
      error: () => {
        if (isNew) console.error(`[greenroom] Error: ${sentences(what, hint, 'The request fails.')}`)
        const message = `greenroom: the gateway doesn't serve ${what}.${hint === '' ? '' : ` ${hint}`}`
        failed = networkError(new TypeError('fetch failed', { cause: new Error(message) }))
      },
    }
    if (typeof strategy === 'function') strategy(request, print)
    else if (strategy === 'warn') print.warning()
    else print.error()
    reported.add(what)
    return failed
  }
}

function sentences(what: string, hint: string, outcome: string): string {
  return (
    `the gateway doesn't serve this path:\n\n  \u2022 ${what}\n\n` +
    `${outcome}${hint === '' ? '' : ` ${hint}`}\nTo answer it yourself, put a handler of your own in front: server.use(…).`
  )
}
