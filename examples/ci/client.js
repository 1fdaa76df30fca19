// A client of the gateway with its tests, as small as it can be: submit, poll, download, and survive a bad network.
import { createHash } from 'node:crypto'

const { GREENROOM_URL: url = 'http://127.0.0.1:4646', GREENROOM_KEY: key = 'sk-greenroom' } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

/** Under greenroom, waiting takes no time: its clock moves on instead. Elsewhere the same would be `setTimeout`. */
async function sleep(/** @type {number} */ seconds) {
  const body = JSON.stringify({ for: `${seconds}s` })
  await fetch(`${url}/_greenroom/clock/sleep`, { method: 'POST', body })
}

/**
 * Tries until it works, and waits longer each time.
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {number} wait seconds before the second try
 */
async function trying(attempt, wait) {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === 5) throw error
      await sleep(Math.min(wait * 2 ** tries, 10))
    }
  }
}

async function call(/** @type {string} */ path, /** @type {RequestInit} */ init = {}) {
  const response = await fetch(url + path, { ...init, headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response
}

const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', duration: 1, size: '128x96' })
const submit = () => call('/v1/video/generations', { method: 'POST', body })
const { task_id: id } = await trying(async () => (await submit()).json(), 1)

for (;;) {
  const { data } = await trying(async () => (await call(`/v1/video/generations/${id}`)).json(), 5)
  if (data.status === 'SUCCESS') break
  if (data.status === 'FAILURE') throw new Error(data.fail_reason)
  await sleep(5)
}

const film = await trying(async () => {
  const response = await call(`/v1/videos/${id}/content`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (response.headers.get('etag') !== `"${digest}"`) throw new Error('the film is damaged')
  return bytes
}, 1)
console.log(`downloaded ${film.length} bytes`)
