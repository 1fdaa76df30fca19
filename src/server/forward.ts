import { request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { hash128Hex } from '../engine/random/hash.ts'
import type { Simulator } from '../simulator/simulator.ts'
import type { Interceptor } from './user-handlers.ts'

/** The target of forwarded requests, and an observer. */
interface ForwardOptions {
  /** The only host that requests are sent to. Its path is put before theirs. */
  readonly target: URL
  /** Returns an observer for one exchange. */
  readonly observe?: (request: IncomingMessage) => ForwardObserver
  /** Responds if the target can't be reached or breaks off before its headers. */
  readonly onFailure: (
    error: NodeJS.ErrnoException,
    request: IncomingMessage,
    response: ServerResponse,
  ) => void
}

/** Follows one forwarded exchange. */
export interface ForwardObserver {
  readonly sent?: (chunk: Uint8Array) => void
  readonly head?: (response: IncomingMessage) => void
  readonly received?: (chunk: Uint8Array) => void
  /** @param failure the error; `client` if the client left. */
  readonly end?: (failure?: NodeJS.ErrnoException | 'client') => void
}

type Forward = (request: IncomingMessage, response: ServerResponse) => void

/** Thrown for an invalid target. The message says what to write instead. */
export class TargetError extends Error {
  override name = 'TargetError'
}

/**
 * Reads the URL of a target, which comes from a user.
 * @throws {TargetError} for anything but an http or https URL without credentials, query and fragment.
 */
export function parseTargetUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TargetError(`"${text}" is not a URL of a gateway. Write it as https://gateway.example.`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TargetError(
      `${url.origin} must have no credentials, query or fragment: clients send their own keys. Leave them out.`,
    )
  return url
}

/**
 * Creates a function that forwards requests to a target, and streams its responses back. Redirects go to the client, so its
 * keys reach no other host. RFC 9110 §7.6.
 */
export function createForward({ target, observe, onFailure }: ForwardOptions): Forward {
  // A unique name, so that only a request that returns here counts as a loop.
  const name = `greenroom-${hash128Hex(`${process.pid} ${hostTimers.now()} ${target.href}`).slice(0, 12)}`
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const prefix = target.pathname.replace(/\/+$/, '')
  return (request, response) => {
    const watcher = observe?.(request) ?? {}
    if ([request.headers.via].flat().join(',').includes(name)) {
      const error = Object.assign(new Error('the target leads back to greenroom'), { code: 'ELOOP' })
      watcher.end?.(error)
      return onFailure(error, request, response)
    }
    const outgoing = send({
      protocol: target.protocol,
      hostname: target.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: target.port,
      method: request.method ?? 'GET',
      path: prefix + pathOf(request),
      headers: { ...endToEnd(request), host: target.host, via: appendVia(request, name) },
      setHost: false,
    })
    let isOver = false
    const end = (failure?: NodeJS.ErrnoException | 'client'): void => {
      if (isOver) return
      isOver = true
      watcher.end?.(failure)
    }
    response.once('close', () => {
      if (response.writableFinished) return
      end('client')
      outgoing.destroy()
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (isOver) return
      end(error)
      if (response.headersSent) endLikeTarget(response, error)
      else onFailure(error, request, response)
    })
    outgoing.once('response', (incoming) => {
      watcher.head?.(incoming)
      response.writeHead(incoming.statusCode!, incoming.statusMessage ?? '', flatten(endToEnd(incoming)))
      // The first event of a stream may come late, but its client waits for the headers.
      response.flushHeaders()
      incoming.on('data', (chunk: Uint8Array) => watcher.received?.(chunk))
      // `pipeline` closes the response when the target fails, before it reports the error.
      incoming.once('error', end)
      pipeline(incoming, response).then(
        () => end(),
        (error: NodeJS.ErrnoException) => {
          end(error)
          endLikeTarget(response, error)
        },
      )
    })
    if (watcher.sent) request.on('data', (chunk: Uint8Array) => watcher.sent!(chunk))
    // A failure here also ends the response or the outgoing request, which report it.
    pipeline(request, outgoing).catch(() => {})
  }
}

/** Ends the client's connection in the same way as the target's ended. */
export function endLikeTarget(response: ServerResponse, error: NodeJS.ErrnoException): void {
  if (isHangUp(error)) response.destroy()
  else response.socket?.resetAndDestroy()
}

/** Whether the target closed its connection early, instead of resetting it. */
export function isHangUp({ message }: Error): boolean {
  return /hang up|aborted|premature/i.test(message)
}

/** The path and query of a request. The host of an absolute form is ignored: requests only go to the target. */
function pathOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return url
  if (!URL.canParse(url)) return '/'
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Headers that belong to one connection. All others are forwarded. RFC 9110 §7.6.1. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'via',
]

function endToEnd(message: IncomingMessage): Record<string, string[]> {
  const named = [message.headers.connection].flat().join(',').toLowerCase().split(',')
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim())])
  const passed: Record<string, string[]> = {}
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at]!
    if (!dropped.has(name.toLowerCase())) (passed[name] ??= []).push(message.rawHeaders[at + 1]!)
  }
  return passed
}

const flatten = (headers: Record<string, string[]>): string[] =>
  Object.entries(headers).flatMap(([name, values]) => values.flatMap((value) => [name, value]))

function appendVia({ headers: { via }, httpVersion }: IncomingMessage, name: string): string {
  return [...[via ?? []].flat(), `${httpVersion} ${name}`].join(', ')
}

/** Explains why a target failed. */
export function describeFailure({ code = '', message }: NodeJS.ErrnoException, { origin }: URL): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there. Start it, or correct the URL',
    ENOTFOUND: 'there is no such host. Correct the URL',
    EAI_AGAIN: 'its name could not be resolved. Check the network',
    ECONNRESET: 'it closed the connection without a response',
    ETIMEDOUT: 'it does not respond. Check the network',
    ELOOP: 'it leads back to this process. Name another URL',
  }
  return `Failed to reach ${origin}: ${reasons[code] ?? message}.`
}

/**
 * Forwards requests that no operation serves to another gateway.
 *
 * @param simulator returns the simulator once it has started.
 */
export function createFallback(target: URL, simulator: () => Simulator): Interceptor {
  const forward = createForward({
    target,
    onFailure: (error, _request, response) => {
      const status = error.code === 'ELOOP' ? 508 : 502
      const message = describeFailure(error, target)
      const body = JSON.stringify({ error: { code: 'fallback_failed', message, type: 'new_api_error' } })
      response.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      })
      response.end(body)
    },
  })
  return (request, response, pass) => {
    const { method = '', url = '', headers } = request
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    const wanted = isPreflight ? String(headers['access-control-request-method']) : method
    if (url === '/' || simulator().unserved(wanted, url) === undefined) return pass(request)
    // The target has no namespaces.
    request.url = url.replace(/^\/ns\/[^/?]+(?=\/)/, '')
    forward(request, response)
  }
}
