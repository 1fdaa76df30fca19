import type { Simulator } from '../../simulator/simulator.ts'
import { answerRequest } from './answer-request.ts'

/** The origin of requests that name no host. */
const directOrigin = 'http://greenroom.localhost'

/**
 * A `fetch` that needs no port: pass it wherever a client takes one.
 *
 * It responds to requests for any host, so a client keeps its base URL. A path alone works, too. A URL without a host, such
 * as a `data:` URL, goes to the global `fetch`. Redirects are followed by the Fetch standard, whatever host they lead to.
 *
 * @example
 * const fetch = createFetch(sim.core)
 * const response = await fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
 * response.status // → 200
 */
export function createFetch(simulator: Simulator): typeof fetch {
  return async (input, init) => {
    const target = typeof input === 'string' && input.startsWith('/') ? directOrigin + input : input
    const source = readRequest(target, init)
    const first = new URL(source.request.url)
    if (first.protocol !== 'http:' && first.protocol !== 'https:') return fetch(source.request)
    return fetchFollowing(source, async (request) => {
      const { origin } = request === source.request ? first : new URL(request.url)
      const response = await answerRequest(simulator, request, { transport: 'direct', origin, prefix: '' })
      if (response instanceof Error) throw response
      return response
    })
  }
}

/** The limit of redirects in browsers and in Node. */
const maxRedirects = 20

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers that are dropped together with the body. */
const bodyHeaders = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]

/** The arguments of a `fetch` call, so that the request can be sent again. */
interface RedirectRequest {
  readonly request: Request
  /** Returns the body again: null without one, undefined for a stream, which can't be read twice. */
  readonly body: () => BodyInit | null | undefined
  /** The caller's own signal, because the signal of a request is referenced weakly. */
  readonly signal: AbortSignal | undefined
}

/** Clones a `Request` of the caller, since its body can be read only once. */
function readRequest(input: RequestInfo | URL, init: RequestInit | undefined): RedirectRequest {
  const given = input instanceof Request ? input : undefined
  const mayFollow = (init?.redirect ?? given?.redirect ?? 'follow') === 'follow'
  const clone = mayFollow && given?.body && !init?.body ? given.clone() : undefined
  const request = new Request(input, init)
  const signal = init?.signal ?? given?.signal
  const body = init?.body ?? null
  return { request, body: clone ? cloneBody(clone) : () => (isReadOnce(body) ? undefined : body), signal }
}

function cloneBody(request: Request): () => ReadableStream | null {
  let spare = request
  return () => {
    const current = spare
    // Cloned first: a clone replaces the body by another stream.
    spare = current.clone()
    return current.body
  }
}

/**
 * Follows redirects by the Fetch standard.
 *
 * @param answer responds to one request.
 * @returns the last response, with its URL.
 * @throws {TypeError} as Node's own fetch does: for a redirect that is not allowed or leads nowhere, and for too many.
 */
async function fetchFollowing(
  source: RedirectRequest,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  let { request } = source
  for (let count = 0; ; count++) {
    const response = await answer(request)
    const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
    if (location === null || request.redirect === 'manual') return withUrl(response, request.url, count > 0)
    void response.body?.cancel()
    if (request.redirect === 'error') throw fetchError(new Error('unexpected redirect'))
    if (count === maxRedirects) throw fetchError(new Error('redirect count exceeded'))
    request = nextRequest(request, source, targetOf(location, request.url), response.status)
  }
}

/**
 * Follows redirects that lead back to the same URL, for a client of MSW. MSW 2 would follow them without limit and block
 * the event loop. It handles all other redirects itself; those of requests with a body it doesn't follow.
 *
 * @param answer returns the response to the request, or the error with which `fetch` rejects.
 */
export async function followRedirects(
  request: Request,
  answer: () => Promise<Response | TypeError>,
): Promise<Response | TypeError> {
  const isFollowing = request.redirect === 'follow' && request.body === null
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await answer()
    if (response instanceof Error || !isFollowing || !leadsTo(response, request.url)) return response
  }
  return fetchError(new Error('redirect count exceeded'))
}

function leadsTo(response: Response, url: string): boolean {
  const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
  return location !== null && URL.canParse(location, url) && new URL(location, url).href === url
}

function targetOf(location: string, base: string): URL {
  let target: URL
  try {
    target = new URL(location, base)
  } catch (error) {
    throw fetchError(error)
  }
  if (target.protocol === 'http:' || target.protocol === 'https:') return target
  throw fetchError(new Error('URL scheme must be a HTTP(S) scheme'))
}

function nextRequest(
  request: Request,
  { body, signal }: RedirectRequest,
  target: URL,
  status: number,
): Request {
  const { method } = request
  const isDropped =
    (status === 303 && method !== 'GET' && method !== 'HEAD') || (status < 303 && method === 'POST')
  const again = request.body === null || isDropped ? null : body()
  if (again === undefined) throw fetchError(new Error())
  const headers = new Headers(request.headers)
  if (isDropped) for (const name of bodyHeaders) headers.delete(name)
  if (target.origin !== new URL(request.url).origin) {
    for (const name of ['authorization', 'proxy-authorization', 'cookie', 'host']) headers.delete(name)
  }
  // A form gets a new boundary with its body.
  if (again instanceof FormData) headers.delete('content-type')
  return new Request(target, {
    method: isDropped ? 'GET' : method,
    headers,
    redirect: 'follow',
    ...(signal && { signal }),
    ...(again !== null && { body: again, duplex: 'half' }),
  } as RequestInit)
}

/** Whether a body can be read only once. */
function isReadOnce(body: unknown): boolean {
  return (
    body instanceof ReadableStream ||
    (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
  )
}

/** Sets the URL, which a response from a constructor lacks. */
function withUrl(response: Response, address: string, redirected: boolean): Response {
  const [url] = address.split('#', 1)
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
}

function fetchError(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}
