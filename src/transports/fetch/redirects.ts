/** As many as browsers and Node follow. */
const maxRedirects = 20

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** What described a body tells nothing of a request that goes on without one. */
const ofBodies = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]

/** A request as it was asked for, so that it can be made again. */
export interface Asked {
  readonly request: Request
  /** The body once more: null where there is none, undefined for a stream, which is gone. */
  readonly body: () => BodyInit | null | undefined
  /** The caller's own signal: a request's is held weakly. */
  readonly signal: AbortSignal | undefined
}

/** Takes apart what `fetch` is called with. A request of the caller's own is copied, since its body can be read only once. */
export function askedOf(input: RequestInfo | URL, init: RequestInit | undefined): Asked {
  const given = input instanceof Request ? input : undefined
  const mayGoOn = (init?.redirect ?? given?.redirect ?? 'follow') === 'follow'
  const copied = mayGoOn && given?.body && !init?.body ? given.clone() : undefined
  const request = new Request(input, init)
  const signal = init?.signal ?? given?.signal
  const sent = init?.body ?? null
  return { request, body: copied ? copiesOf(copied) : () => (isOnce(sent) ? undefined : sent), signal }
}

function copiesOf(request: Request): () => ReadableStream | null {
  let spare = request
  return () => {
    const sent = spare
    // Cloning puts another stream in the place of the body, so it comes first.
    spare = sent.clone()
    return sent.body
  }
}

/**
 * Follows redirects by the Fetch standard.
 *
 * @param answer makes the response to one request.
 * @returns the last response, which knows its address.
 * @throws {TypeError} as Node's own fetch does, where a redirect was not to be, leads nowhere, or there are too many.
 */
export async function followed(
  asked: Asked,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  let { request } = asked
  for (let count = 0; ; count++) {
    const response = await answer(request)
    const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
    if (location === null || request.redirect === 'manual') return located(response, request.url, count > 0)
    void response.body?.cancel()
    if (request.redirect === 'error') throw failed(new Error('unexpected redirect'))
    if (count === maxRedirects) throw failed(new Error('redirect count exceeded'))
    request = nextRequest(request, asked, targetOf(location, request.url), response.status)
  }
}

/**
 * Goes round for a client of MSW where a redirect leads to itself: MSW 2 never tires of it, and nothing else would run.
 * Other redirects are left to it, as are those of requests with a body, which it doesn't follow.
 *
 * @param answer makes the response to the request, or the error with which `fetch` rejects.
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
  return failed(new Error('redirect count exceeded'))
}

function leadsTo(response: Response, address: string): boolean {
  const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
  return location !== null && URL.canParse(location, address) && new URL(location, address).href === address
}

function targetOf(location: string, base: string): URL {
  let target: URL
  try {
    target = new URL(location, base)
  } catch (error) {
    throw failed(error)
  }
  if (target.protocol === 'http:' || target.protocol === 'https:') return target
  throw failed(new Error('URL scheme must be a HTTP(S) scheme'))
}

function nextRequest(request: Request, { body, signal }: Asked, target: URL, status: number): Request {
  const { method } = request
  const isDropped =
    (status === 303 && method !== 'GET' && method !== 'HEAD') || (status < 303 && method === 'POST')
  const again = request.body === null || isDropped ? null : body()
  if (again === undefined) throw failed(new Error())
  const headers = new Headers(request.headers)
  if (isDropped) for (const name of ofBodies) headers.delete(name)
  if (target.origin !== new URL(request.url).origin) {
    for (const name of ['authorization', 'proxy-authorization', 'cookie', 'host']) headers.delete(name)
  }
  // The boundary of a form is made anew with its body.
  if (again instanceof FormData) headers.delete('content-type')
  return new Request(target, {
    method: isDropped ? 'GET' : method,
    headers,
    redirect: 'follow',
    ...(signal && { signal }),
    ...(again !== null && { body: again, duplex: 'half' }),
  } as RequestInit)
}

/** Whether a body is gone once it was sent. */
function isOnce(body: unknown): boolean {
  return (
    body instanceof ReadableStream ||
    (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
  )
}

/** A response that is made by hand has no address of its own. */
function located(response: Response, address: string, redirected: boolean): Response {
  const [url] = address.split('#', 1)
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } })
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}
