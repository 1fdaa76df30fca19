// A client with three bugs: it submits again after a time-out, ignores Retry-After, and polls a task that has failed.
import { createHash } from 'node:crypto'

const base = process.env.VIDEO_API ?? 'https://gateway.example'
const headers = { authorization: `Bearer ${process.env.VIDEO_TOKEN}`, 'content-type': 'application/json' }
/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
/** @param {Response} response */
const json = (response) => response.json()

class Refused extends Error {
  /**
   * @param {string} path
   * @param {Response} response
   */
  constructor(path, response) {
    super(`${path} returned ${response.status}`)
    this.status = response.status
    this.retryAfter = response.headers.get('retry-after') ?? '0'
  }
}

/** @param {any} error */
const mayPass = ({ status }) => status === undefined || status === 408 || status === 429 || status >= 500

/**
 * @template T
 * @param {string} path
 * @param {RequestInit} init
 * @param {(response: Response) => Promise<T>} read
 * @returns {Promise<T>}
 */
async function send(path, init, read) {
  for (let failures = 1; ; failures += 1) {
    try {
      const response = await fetch(base + path, { ...init, headers, signal: AbortSignal.timeout(30_000) })
      if (!response.ok) throw new Refused(path, response)
      return await read(response)
    } catch (error) {
      if (failures === 5 || !mayPass(error)) throw error
      await wait(1_000 * 2 ** failures)
    }
  }
}

/** @param {Response} response */
async function readClip(response) {
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (response.headers.get('etag') !== `"${digest}"`) throw new Error('The clip arrived damaged')
  return bytes
}

const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', duration: 1, size: '128x96' })
const { task_id: id } = await send('/v1/video/generations', { method: 'POST', body }, json)
const deadline = Date.now() + 600_000
for (;;) {
  if (Date.now() > deadline) throw new Error(`The clip ${id} took longer than ten minutes`)
  await wait(5_000)
  const { data } = await send(`/v1/video/generations/${id}`, {}, json)
  if (data.status === 'SUCCESS') break
}
const clip = await send(`/v1/videos/${id}/content`, {}, readClip)
console.log(`${clip.length} bytes`)
