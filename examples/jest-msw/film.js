// A small client of the gateway, such as yours may be: submit, poll, download, and ask again when the network fails.
const byTimer = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Makes a film of a prompt.
 *
 * @param {string} prompt
 * @param {{ sleep?: (milliseconds: number) => Promise<void>, fetch?: typeof globalThis.fetch, signal?: AbortSignal,
 *   baseUrl?: string, key?: string }} [options]
 * @returns {Promise<{ id: string, bytes: Uint8Array }>}
 */
export async function makeFilm(prompt, options = {}) {
  const { GATEWAY_URL, GATEWAY_KEY } = process.env
  const {
    sleep = byTimer,
    fetch = globalThis.fetch,
    signal,
    baseUrl = GATEWAY_URL,
    key = GATEWAY_KEY,
  } = options
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  async function call(path, init) {
    const response = await fetch(baseUrl + path, { headers, signal, ...init })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return response
  }

  /** Tries until it works, and waits longer each time. */
  async function trying(attempt) {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (tries === 4 || signal?.aborted) throw error
        await sleep(2_500 * 2 ** tries)
      }
    }
  }

  const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
  const { task_id: id } = await (await call('/v1/video/generations', { method: 'POST', body })).json()

  for (;;) {
    await sleep(5_000)
    const { data } = await trying(async () => (await call(`/v1/video/generations/${id}`)).json())
    if (data.status === 'FAILURE') throw new Error(data.fail_reason)
    if (data.status === 'SUCCESS') break
  }

  const bytes = await trying(async () => (await call(`/v1/videos/${id}/content`)).arrayBuffer())
  return { id, bytes: new Uint8Array(bytes) }
}
