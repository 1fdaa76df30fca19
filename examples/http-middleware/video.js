// A client of the gateway to copy: submit, poll, download. Each comment says what a good client does, and why.
import { createHash } from 'node:crypto'

const sleepForReal = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries what may pass (429, 5xx). A 401 or 404 stays the same, however often you retry. */
class ResponseError extends Error {
  constructor(path, { status, headers }) {
    super(`${path} returned ${status}`)
    this.isTemporary = status === 429 || status >= 500
    const after = headers.get('retry-after') ?? '0'
    const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
    this.retryAfterMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - sentAt || 0
  }
}

/**
 * Makes a video from a prompt.
 *
 * @param {string} prompt
 * @param {{ sleep?: (ms: number) => Promise<void>, fetch?: typeof globalThis.fetch, signal?: AbortSignal,
 *   baseUrl?: string, key?: string, deadlineMs?: number, timeoutMs?: number }} [options]
 * @returns {Promise<{ id: string, bytes: Uint8Array }>}
 */
export async function makeVideo(prompt, options = {}) {
  const { GATEWAY_URL, GATEWAY_KEY } = process.env
  const { sleep = sleepForReal, fetch = globalThis.fetch, baseUrl = GATEWAY_URL, key = GATEWAY_KEY } = options
  const { signal, deadlineMs = 600_000, timeoutMs = 30_000 } = options
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  /** Gives up at a deadline: a task may never end. */
  let waitedMs = 0
  async function wait(ms) {
    waitedMs += ms
    if (waitedMs > deadlineMs) throw new Error(`gave up after ${deadlineMs / 1_000} s`)
    await sleep(ms)
  }

  /** Limits the time of one request: a response may never come. */
  async function send(path, init) {
    const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
    const response = await fetch(baseUrl + path, { headers, ...init, signal: AbortSignal.any(signals) })
    if (!response.ok) throw new ResponseError(path, response)
    return response
  }

  /** Waits longer after each failure, and at least as long as Retry-After says. */
  async function retry(attempt, canRetry = (error) => error.isTemporary !== false) {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (failures === 5 || signal?.aborted || !canRetry(error)) throw error
        await wait(Math.max(1_250 * 2 ** failures, error.retryAfterMs ?? 0))
      }
    }
  }

  // Submits again only what was refused. A response that got lost may stand for a task that you pay for.
  const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
  const submitted = await retry(
    () => send('/v1/video/generations', { method: 'POST', body }),
    (error) => error.isTemporary === true,
  )
  const { task_id: id } = await submitted.json()

  // Polls every 5 s until the task ends.
  for (;;) {
    await wait(5_000)
    const { data } = await retry(async () => (await send(`/v1/video/generations/${id}`)).json())
    if (data.status === 'FAILURE') throw new Error(data.fail_reason || 'the video failed without a reason')
    if (data.status === 'SUCCESS') break
  }

  // Verifies the download, and downloads again what arrived damaged.
  const bytes = await retry(async () => {
    const response = await send(`/v1/videos/${id}/content`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isMp4 = Buffer.from(bytes.subarray(4, 8)).toString() === 'ftyp'
    const [, digest] = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag')) ?? []
    const isWhole = digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest
    if (!isMp4 || !isWhole) throw new Error(`the video of ${id} arrived damaged`)
    return bytes
  })
  return { id, bytes }
}
