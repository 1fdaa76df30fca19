// A small client of streamed texts: it reads to the end, and requests again what broke off.

const sleepForReal = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries what may pass: 429, 5xx and streams that break off. */
const failure = (message, isTemporary, retryAfterMs = 0) =>
  Object.assign(new Error(message), { isTemporary, retryAfterMs })

/** The data of an event in a list, which is empty for a comment. An event may have several `data` lines. */
function readData(event) {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'))
  return lines.length === 0
    ? []
    : [lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')]
}

/**
 * @param {string} content
 * @param {{ fetch?: typeof globalThis.fetch, sleep?: (ms: number) => Promise<void>, baseUrl: string, key: string,
 *   timeoutMs?: number }} options
 */
export async function talk(content, options) {
  const { fetch = globalThis.fetch, sleep = sleepForReal, baseUrl, key, timeoutMs = 120_000 } = options

  async function ask() {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-text-1', stream: true, messages: [{ role: 'user', content }] }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) {
      const after = response.headers.get('retry-after') ?? '0'
      const waitMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now() || 0
      const isTemporary = response.status === 429 || response.status >= 500
      throw failure(`the gateway returned ${response.status}`, isTemporary, waitMs)
    }
    const events = (await response.text()).split(/\r\n\r\n|\n\n|\r\r/).flatMap(readData)
    if (events.pop() !== '[DONE]') throw failure('the stream broke off', true)
    const chunks = events.map((data) => JSON.parse(data))
    const reason = chunks.map(({ choices }) => choices?.[0]?.finish_reason).findLast(Boolean)
    // A text that ended at a limit would end there again.
    if (reason !== undefined && reason !== 'stop') throw failure(`the text ended by ${reason}`, false)
    if (reason === undefined) throw failure('the text never ended', true)
    return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  }

  for (let failures = 1; ; failures++) {
    try {
      return await ask()
    } catch (error) {
      if (failures === 5 || error.isTemporary === false) throw error
      await sleep(Math.max(1_000 * 2 ** failures, error.retryAfterMs ?? 0))
    }
  }
}
