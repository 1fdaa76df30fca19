// What the routes share: where the gateway is, the key that pages never see, and a limit for each request.

/** Sends a request to the gateway. Rejects if it can't be reached, or takes longer than 30 s. */
export function callGateway(path: string, init: RequestInit = {}): Promise<Response> {
  const { GATEWAY_URL, GATEWAY_KEY } = process.env
  return fetch(GATEWAY_URL + path, {
    signal: AbortSignal.timeout(30_000),
    ...init,
    headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json', ...init.headers },
  })
}

/** Tells the page to wait as long as the gateway says. The route itself repeats nothing: a function that sleeps costs. */
export function passRefusal(refused: Response): Response {
  const retryAfter = readRetryAfter(refused.headers)
  const isTemporary = refused.status === 429 || refused.status >= 500
  return Response.json(
    { error: isTemporary ? 'The gateway is busy. Try again later.' : 'The gateway refused the request.' },
    { status: isTemporary ? 503 : 502, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } },
  )
}

/** Returns seconds: the gateway may send a date, which only its own clock can tell. */
function readRetryAfter(headers: Headers): string | null {
  const retryAfter = headers.get('retry-after')
  if (retryAfter === null || /^\d+$/.test(retryAfter)) return retryAfter
  const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
  const seconds = Math.ceil((Date.parse(retryAfter) - sentAt) / 1_000)
  return seconds > 0 ? String(seconds) : null
}
