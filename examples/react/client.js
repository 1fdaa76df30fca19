// A client of the gateway to copy into a page: video, drawing, text. Each comment says what a good client does, and why.

const sleepForReal = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries what may pass (429, 5xx). A 401 or 404 stays the same, however often you retry. */
class ResponseError extends Error {
  constructor(path, { status, headers }) {
    super(`${path} returned ${status}`)
    this.status = status
    this.isTemporary = status === 429 || status >= 500
    const after = headers.get('retry-after') ?? '0'
    const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
    this.retryAfterMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - sentAt || 0
  }
}

/** An error that comes again, however often you retry. */
const finalError = (message) => Object.assign(new Error(message), { isTemporary: false })

/**
 * @param {{ baseUrl: string, key: string, fetch?: typeof globalThis.fetch, sleep?: (ms: number) => Promise<void>,
 *   signal?: AbortSignal, pollMs?: number, deadlineMs?: number, timeoutMs?: number }} options
 */
export function createClient(options) {
  // A page's own fetch must not be called as a method of something else.
  const { baseUrl, key, sleep = sleepForReal, fetch = (...request) => globalThis.fetch(...request) } = options
  const { signal, pollMs = 5_000, deadlineMs = 600_000, timeoutMs = 120_000 } = options
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  /** Limits the time of one request: a response may never come. */
  async function send(path, init) {
    const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
    const response = await fetch(baseUrl + path, { headers, ...init, signal: AbortSignal.any(signals) })
    if (!response.ok) throw new ResponseError(path, response)
    return response
  }

  /** Waits for one result, and gives up at a deadline: a task may never end. */
  function createWait() {
    let waitedMs = 0
    return async (ms) => {
      waitedMs += ms
      if (waitedMs > deadlineMs) throw finalError(`gave up after ${deadlineMs / 1_000} s`)
      await sleep(ms)
      signal?.throwIfAborted()
    }
  }

  /** Waits longer after each failure, and at least as long as Retry-After says. */
  async function retry(wait, attempt, canRetry = (error) => error.isTemporary !== false) {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (failures === 5 || signal?.aborted || !canRetry(error)) throw error
        await wait(Math.max(1_250 * 2 ** failures, error.retryAfterMs ?? 0))
      }
    }
  }

  /** Submits again only what was refused. A response that got lost may stand for a task that you pay for. */
  function submit(wait, path, body) {
    const attempt = async () => {
      const answer = await (await send(path, { method: 'POST', body: JSON.stringify(body) })).json()
      // A full queue of drawings is refused with status 200.
      if (answer.code === 23) throw Object.assign(new Error(answer.description), { isTemporary: true })
      return answer
    }
    return retry(wait, attempt, (error) => error.isTemporary === true)
  }

  /** Polls until the task ends. */
  async function poll(wait, path, onProgress) {
    for (;;) {
      await wait(pollMs)
      const task = await retry(wait, async () => {
        const body = await (await send(path)).json()
        return body.data ?? body
      })
      onProgress(`${task.status} ${task.progress}`)
      const reason = task.fail_reason || task.failReason
      if (task.status === 'FAILURE') throw new Error(reason || 'the task failed without a reason')
      if (task.status === 'SUCCESS') return task
    }
  }

  /** Verifies the download, and downloads again what arrived damaged. */
  function download(wait, path, type) {
    return retry(wait, async () => {
      const response = await send(path)
      const bytes = await response.arrayBuffer()
      const [, digest] = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag')) ?? []
      if (!hasSignature(bytes, type) || (digest !== undefined && (await sha256(bytes)) !== digest))
        throw new Error(`${path} arrived damaged`)
      return new Blob([bytes], { type })
    })
  }

  /** Makes a video from `{ prompt, duration, size }`. Returns its id, for `downloadVideo`, and its URL. */
  async function makeVideo(request, onProgress = () => {}) {
    const wait = createWait()
    const { task_id: id } = await submit(wait, '/v1/video/generations', { model: 'video-1', ...request })
    await poll(wait, `/v1/video/generations/${id}`, onProgress)
    return { id, url: `${baseUrl}/v1/videos/${id}/content` }
  }

  /** Downloads a video, as a Blob for `URL.createObjectURL`. */
  const downloadVideo = (id) => download(createWait(), `/v1/videos/${id}/content`, 'video/mp4')

  /** Makes a drawing, and downloads it as a Blob. */
  async function makeDrawing(prompt, onProgress = () => {}) {
    const wait = createWait()
    const { result: id, description } = await submit(wait, '/mj/submit/imagine', { prompt })
    if (!id) throw finalError(description)
    const fetchImage = async () => {
      const { imageUrl } = await poll(wait, `/mj/task/${id}/fetch`, onProgress)
      return download(wait, imageUrl.replace(baseUrl, ''), 'image/png')
    }
    // A link may have expired since the poll that returned it: the next poll gives a new one.
    return fetchImage().catch((error) => {
      if (error.status !== 403) throw error
      return fetchImage()
    })
  }

  /** Streams a text. One that breaks off starts again, so `onStart` clears what is displayed. */
  function streamText(prompt, { onStart = () => {}, onWord = () => {} } = {}) {
    const messages = [{ role: 'user', content: prompt }]
    const body = JSON.stringify({ model: 'sim-text-1', stream: true, messages })
    return retry(createWait(), async () => {
      onStart()
      let text = ''
      let reason
      for await (const data of readEvents(await send('/v1/chat/completions', { method: 'POST', body }))) {
        if (data === '[DONE]' && reason === 'stop') return text
        if (data === '[DONE]') break
        const { choices, error } = JSON.parse(data)
        if (error) throw new Error(error.message)
        const word = choices[0]?.delta.content ?? ''
        text += word
        reason = choices[0]?.finish_reason ?? reason
        if (word) onWord(word)
      }
      // A text that ended at a limit would end there again.
      if (reason && reason !== 'stop') throw finalError(`the text ended by ${reason}`)
      throw new Error('the text broke off')
    })
  }

  return { makeVideo, downloadVideo, makeDrawing, streamText }
}

/** Yields the data of each event: lines end with CRLF, LF or CR, and an event may have several `data` lines, or none. */
async function* readEvents({ body }) {
  // Not every browser can iterate a stream.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const events = (rest + next.value).split(/\r\n\r\n|\n\n|\r\r/)
    rest = events.pop()
    yield* events.flatMap(readData)
  }
  yield* readData(rest)
}

/** The data of an event in a list, which is empty for a comment. */
function readData(event) {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'))
  return lines.length === 0
    ? []
    : [lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')]
}

/** An error page has neither `ftyp` at byte 4 nor `PNG` at byte 1. */
function hasSignature(bytes, type) {
  const [at, name] = type === 'video/mp4' ? [4, 'ftyp'] : [1, 'PNG']
  return new TextDecoder().decode(bytes.slice(at, at + name.length)) === name
}

/** Web Crypto needs HTTPS or localhost. */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
