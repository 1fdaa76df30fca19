import { createHash } from 'node:crypto'

// A command: streams a chat or a native text, or embeds a text, and prints the result once it is whole.
const { GREENROOM_URL: url = '', GREENROOM_KEY: key = '' } = process.env
const prompt = 'Write two sentences about a red kite over Tōkyō.'

/** @typedef {Error & { isTemporary?: boolean, retryAfterMs?: number }} Failure */
/** @typedef {{ error?: { message: string }, choices?: any[], candidates?: any[], promptFeedback?: any, data?: any[] }} Answer */

/** Sleeps on the clock of the simulator. @param {number} ms */
export const sleep = async (ms) =>
  void (await (
    await fetch(`${url}/_greenroom/clock/sleep`, { method: 'POST', body: JSON.stringify({ for: `${ms}ms` }) })
  ).text())

/**
 * Runs a request with a deadline on the clock of the simulator.
 *
 * @template T
 * @param {number} ms
 * @param {(signal?: AbortSignal) => Promise<T>} request
 */
export async function within(ms, request) {
  if (ms === Infinity) return request()
  const [late, over] = [new AbortController(), new AbortController()]
  const init = { method: 'POST', body: JSON.stringify({ for: `${ms}ms` }), signal: over.signal }
  const deadline = await fetch(`${url}/_greenroom/clock/deadline`, init)
  deadline.text().then(
    () => late.abort(new DOMException('no answer in time', 'TimeoutError')),
    () => {},
  )
  try {
    return await request(late.signal)
  } finally {
    over.abort()
  }
}

const flows = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'sim-text-1', stream: true, messages: [{ role: 'user', content: prompt }] },
    end: 'stop',
    hasMarker: true,
    /** @param {Answer} chunk */
    read: ({ choices }) => ({ text: choices?.[0]?.delta?.content, reason: choices?.[0]?.finish_reason }),
  },
  text: {
    path: '/v1beta/models/sim-text-1:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: prompt }] }] },
    end: 'STOP',
    hasMarker: false,
    /** @param {Answer} chunk */
    read: ({ candidates, promptFeedback }) => ({
      text: candidates?.[0]?.content?.parts?.map((/** @type {any} */ part) => part.text ?? '').join(''),
      reason: candidates?.[0]?.finishReason ?? promptFeedback?.blockReason,
    }),
  },
  embedding: {
    path: '/v1/embeddings',
    body: { model: 'sim-embed-1', input: prompt },
  },
}

/** What the command does at each point where clients go wrong. A planted bug replaces one of them. */
export const careful = {
  attempts: 5,
  timeoutMs: 300_000,
  /** @param {Failure} error */
  canRetry: (error) => error.isTemporary !== false,
  /** @param {number} failures @param {Failure} error */
  delayMs: (failures, error) => Math.max(1_000 * 2 ** failures, error.retryAfterMs ?? 0),
  /** @param {AsyncIterable<Uint8Array>} packets */
  decode: async function* (packets) {
    const decoder = new TextDecoder()
    for await (const packet of packets) yield decoder.decode(packet, { stream: true })
  },
  /** @param {AsyncIterable<string>} texts */
  split: async function* (texts) {
    let rest = ''
    for await (const text of texts) {
      const events = (rest + text).split(/\r\n\r\n|\n\n|\r\r/)
      rest = events.pop() ?? ''
      yield* events
    }
  },
  /** @param {Answer} chunk */
  check: (chunk) => {
    if (chunk.error) throw new Error(chunk.error.message)
  },
  /** @param {string | undefined} reason @param {string} end @param {boolean} hasMarker */
  finish: (reason, end, hasMarker) => {
    if (reason !== undefined && reason !== end)
      throw Object.assign(new Error(`the text ended by ${reason}`), { isTemporary: false })
    if (reason === undefined || !hasMarker) throw new Error('the stream was cut')
  },
  /** What an attempt starts with, after the text of the last. @param {string} _broken */
  startWith: (_broken) => '',
  /** Prints a part of a text as it comes. @param {string} _text */
  show: (_text) => {},
  /** @param {string} text */
  print: (text) => console.log(text),
  /** @param {Response} response */
  readVector: async (response) => {
    const { data } = /** @type {Answer} */ (await response.json())
    const vector = data?.[0]?.embedding
    if (!Array.isArray(vector) || vector.length === 0) throw new Error('the answer has no vector')
    return vector
  },
  /** @param {Failure} error */
  fail: (error) => {
    console.error(`failed: ${error.message}`)
    process.exitCode = 1
  },
}

/**
 * Runs the command.
 *
 * @param {keyof typeof flows} name
 * @param {typeof careful} [habits]
 */
export async function run(name, habits = careful) {
  const flow = flows[name]
  let text = ''
  /** @param {AbortSignal} [signal] */
  async function attempt(signal) {
    const response = await fetch(url + flow.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(flow.body),
      ...(signal && { signal }),
    })
    if (!response.ok) {
      const after = response.headers.get('retry-after') ?? '0'
      throw Object.assign(new Error(`${flow.path} returned ${response.status}`), {
        isTemporary: response.status === 429 || response.status >= 500,
        retryAfterMs: /^\d+$/.test(after)
          ? Number(after) * 1_000
          : Date.parse(after) - Date.parse(response.headers.get('date') ?? '') || 0,
      })
    }
    if (!('read' in flow)) {
      const vector = await habits.readVector(response)
      const digest = createHash('sha256').update(JSON.stringify(vector)).digest('hex').slice(0, 12)
      return habits.print(`${vector.length} numbers, ${digest}`)
    }
    text = habits.startWith(text)
    let [reason, hasMarker] = [/** @type {string | undefined} */ (undefined), !flow.hasMarker]
    for await (const event of habits.split(habits.decode(/** @type {any} */ (response.body)))) {
      const data = readData(event)
      if (data === '[DONE]') hasMarker = true
      else if (data !== undefined) {
        const chunk = JSON.parse(data)
        habits.check(chunk)
        const part = flow.read(chunk)
        text += part.text ?? ''
        habits.show(part.text ?? '')
        reason = part.reason ?? reason
      }
    }
    habits.finish(reason, flow.end, hasMarker)
    habits.print(text)
  }
  for (let failures = 1; ; failures++) {
    try {
      return await within(habits.timeoutMs, attempt)
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown)
      if (failures >= habits.attempts || !habits.canRetry(error)) return habits.fail(error)
      await sleep(habits.delayMs(failures, error))
    }
  }
}

/**
 * The data of an event, whose lines may be several.
 *
 * @param {string} event
 */
function readData(event) {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'))
  return lines.length === 0
    ? undefined
    : lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}
