// A `fetch` for SDKs. Some of them repeat a submission whose answer was lost, and pay twice.
import { createHash } from 'node:crypto'

// The client of Google's SDK replaces the global one.
const { fetch } = globalThis

/**
 * Sends a request. A rate limit, an outage, and an answer that is lost or unreadable are repeated, but no POST whose answer
 * was lost: it may have made a job that you pay for.
 *
 * @param {string | URL} url
 * @param {RequestInit} [init]
 * @param {(bytes: Buffer, headers: Headers) => boolean} [isReadable] whether the body of a success is complete.
 * @param {boolean} [mayRepeat] whether it may be sent again after a lost answer.
 * @returns {Promise<Response>} never throws, because SDKs repeat what throws. 499 if there was no answer to rely on.
 */
export async function carefulFetch(url, init = {}, isReadable = isJson, mayRepeat = isRead(init)) {
  for (let failures = 1; ; failures++) {
    const attempt = await send(url, init, isReadable).catch((error) => ({ problem: error.message }))
    if (attempt.response) return attempt.response
    const { problem, isRefused = false, retryAfterMs = 0 } = attempt
    if (failures === 5 || !(isRefused || mayRepeat)) {
      const message = `${new URL(url).pathname}: ${problem}`
      return Response.json({ message, detail: message }, { status: 499 })
    }
    await sleep(Math.max(1_000 * 2 ** failures, retryAfterMs))
  }
}

const isRead = (init) => (init.method ?? 'GET') === 'GET'

async function send(url, init, isReadable) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })
  const { status, headers } = response
  const isRefused = status === 429 || status >= 500
  if (isRefused) return { problem: `status ${status}`, isRefused, retryAfterMs: retryAfterMsOf(headers) }
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.ok && !isReadable(bytes, headers)) return { problem: 'the answer is unreadable' }
  return { response: new Response(bytes, { status, headers }) }
}

/** `Retry-After` is a number of seconds, or a date. */
function retryAfterMsOf(headers) {
  const text = headers.get('retry-after') ?? '0'
  return /^\d+$/.test(text) ? 1_000 * Number(text) : Date.parse(text) - Date.now()
}

function isJson(bytes, headers) {
  try {
    return headers.get('content-type').includes('json') && Boolean(JSON.parse(bytes.toString()))
  } catch {
    return false
  }
}

/** Downloads a video, again if it arrives damaged. An error has the `status` of a refusal, such as that of an expired link. */
export async function downloadVideo(url, headers = {}) {
  const response = await carefulFetch(url, { headers }, isWholeVideo)
  if (!response.ok) {
    const error = new Error(`the download returned ${response.status}: ${await response.text()}`)
    throw Object.assign(error, { status: response.status })
  }
  return Buffer.from(await response.arrayBuffer())
}

function isWholeVideo(bytes, headers) {
  return isWhole(bytes, headers) && bytes.subarray(4, 8).toString() === 'ftyp'
}

/** Whether the bytes of a file fit the digest that came with them. */
export function isWhole(bytes, headers) {
  const [, digest] = /^"([0-9a-f]{64})"$/.exec(headers.get('etag')) ?? []
  return digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest
}

/** Returns a function that waits until the next poll. It gives up a job that does not end within fifteen minutes. */
export function createWait() {
  const deadline = Date.now() + 15 * 60_000
  return async () => {
    if (Date.now() > deadline) throw new Error('the job did not end within 15 minutes')
    await sleep(5_000)
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
