import type { HttpHandler, HttpResponseResolver, Path } from 'msw'
import * as z from 'zod/mini'
import { checkedLater } from '../../simulator/check-options.ts'
import { firstMistake } from '../../scenario/vocabulary/mistakes.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { closedReply, SimulatorClosed } from '../../simulator/closed.ts'
import { findConnection } from '../client-request.ts'
import { networkError } from '../fetch/connection-errors.ts'
import { answerRequest } from '../fetch/fetch-door.ts'
import { followRedirects } from '../fetch/redirects.ts'
import { unknownPathReport, type UnknownPathStrategy } from '../unknown-path.ts'

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
 * What `handlers` takes.
 *
 * @example
 * import type { HttpHandler } from 'msw'
 * import { setupServer } from 'msw/node'
 * const options: HandlerOptions<HttpHandler> = { baseUrl: 'https://gateway.example/api' }
 * const server = setupServer(...sim.handlers(options))
 * server.listHandlers().length // → 1
 */
export interface HandlerOptions<Handler> {
  /** The address your client calls, such as `https://gateway.example/api`. Everything below it is answered. */
  baseUrl: string
  /** Your own msw's `http`; in Node it is found by itself, except by Jest with ES modules. */
  http?: HttpMaker<Handler>
  /** What becomes of a path below the address that the gateway doesn't serve. Default `warn`. */
  onUnknownPath?: UnknownPathStrategy
}

const optionsSchema = z.strictObject({
  baseUrl: checkedLater,
  http: checkedLater,
  onUnknownPath: checkedLater,
})

/**
 * Handlers for MSW's `setupServer` and `setupWorker`.
 *
 * @throws {Error} for a base URL that isn't one, for an unknown option or strategy, and where msw can't be found.
 */
export function mswHandlers<Handler = HttpHandler>(
  simulator: Simulator,
  options: HandlerOptions<Handler>,
): Handler[] {
  const problem = firstMistake(optionsSchema, options)
  if (problem !== undefined) throw new Error(`Failed to make handlers: ${problem}`)
  const { baseUrl, http = findHttp<Handler>(), onUnknownPath = 'warn' } = options
  const base = readBase(baseUrl)
  checkStrategy(onUnknownPath)
  const report = onUnknownPath === 'bypass' ? undefined : unknownPathReport(onUnknownPath)
  // One handler for all paths: msw tries its handlers one after the other, and our own table is quicker.
  const everything = new RegExp(`^${escapePattern(base.href)}(?:[/?].*)?$`)
  const answer: HttpResponseResolver = async ({ request }) => {
    const hint = simulator.unserved(
      request.method,
      new URL(request.url).pathname.slice(base.prefix.length) || '/',
    )
    // Without an answer, msw asks the handlers behind, and then lets the request go where it wants to.
    if (hint !== undefined && !report) return undefined
    const connection = findConnection(request)
    try {
      const way = { door: 'msw', origin: base.href, prefix: base.prefix, connection } as const
      const respond = (): Promise<Response | TypeError> => answerRequest(simulator, request, way)
      // Clients that are built on `http.request` follow redirects themselves.
      const answer = await (connection ? respond() : followRedirects(request, respond))
      // Browsers ask before they call; the call itself is told of.
      const isTold = hint !== undefined && request.method !== 'OPTIONS'
      const failed = isTold ? report?.(request, hint) : undefined
      if (failed) return failed
      return answer instanceof Error ? networkError(answer) : answer
    } catch (error) {
      // Whoever left won't see it; thrown on, msw would report it as a mistake in the handler.
      if (request.signal.aborted || connection?.signal.aborted) return Response.error()
      if (error instanceof SimulatorClosed) {
        const { status, headers, body } = closedReply(error)
        return new Response(body, { status, headers })
      }
      throw error
    }
  }
  return [named(http.all(everything, answer), base.href)]
}

/** What `server.listHandlers()` shows: a pattern of ours would tell nobody what it is. */
function named<Handler>(handler: Handler, href: string): Handler {
  const { info } = handler as { info?: { header?: string } }
  if (info?.header !== undefined) info.header = `ALL ${href}/* (greenroom)`
  return handler
}

function checkStrategy(strategy: UnknownPathStrategy): void {
  if (typeof strategy === 'function' || ['warn', 'error', 'bypass'].includes(strategy)) return
  throw new Error(
    `Failed to make handlers: onUnknownPath is ${JSON.stringify(strategy)}. Give "warn", "error", "bypass" or a function.`,
  )
}

function readBase(baseUrl: string): { href: string; prefix: string } {
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new Error(
      `Failed to make handlers: baseUrl is "${baseUrl}". Give the address your client calls, such as ` +
        `"https://gateway.example".`,
    )
  }
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  return { href: origin + prefix, prefix }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** msw is an optional peer, and making handlers is synchronous, so it is required rather than imported. */
function findHttp<Handler>(): HttpMaker<Handler> {
  try {
    const { createRequire } = globalThis.process.getBuiltinModule('node:module')
    return (createRequire(import.meta.url)('msw') as { http: HttpMaker<Handler> }).http
  } catch (error) {
    const { message } = error as Error
    // A page has no modules to require at all.
    const isMissing = globalThis.process === undefined || message.startsWith("Cannot find module 'msw'")
    // Where it is there, its kind of module may not be loaded by require, as in Jest.
    throw new Error(
      isMissing
        ? 'Failed to make handlers: msw was not found. Install it (npm install --save-dev msw), or pass its ' +
            'http: sim.handlers({ baseUrl, http }).'
        : `Failed to make handlers: msw could not be loaded from here (${message.split('\n', 1)[0]}). Import it ` +
            "yourself, and pass its http: import { http } from 'msw'; sim.handlers({ baseUrl, http }).",
    )
  }
}
