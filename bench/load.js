// A load generator on plain sockets: it costs far less than what it measures.
import { connect } from 'node:net'

/** What a stream of chunks ends with. */
const lastChunk = '0\r\n\r\n'

/**
 * Sends requests over a few connections, one at a time on each, for a while.
 *
 * @param {{ url: string, request: string | (() => string), connections: number, durationMs: number, maxRequests?: number }} options
 * `request` may be created for each call. `maxRequests` may be exceeded by what is on its way.
 * @returns {Promise<{ requests: number, seconds: number, latenciesMs: number[] }>}
 */
export async function load({ url, request, connections, durationMs, maxRequests = Infinity }) {
  const { hostname, port } = new URL(url)
  const next = typeof request === 'string' ? () => request : request
  const start = performance.now()
  const latenciesMs = /** @type {number[]} */ ([])
  // Nearly all answers are of the same length and come in one piece; reading each one's head would cost more
  // than the servers that are measured.
  let defaultBytes = 0

  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let missing = 0
      let isStream = false
      let sentAt = 0
      const send = () => {
        sentAt = performance.now()
        socket.write(next())
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error(`${url} closed a connection`)))
      socket.on('data', (chunk) => {
        if (isStream) missing = endsStream(chunk) ? 0 : 1
        else if (missing > 0) missing -= chunk.length
        else if (chunk.length !== defaultBytes) {
          const bytes = lengthOf(chunk, reject)
          isStream = bytes === undefined
          if (bytes === undefined) missing = endsStream(chunk) ? 0 : 1
          else {
            defaultBytes = bytes
            missing = bytes - chunk.length
          }
        }
        if (missing > 0) return
        isStream = false
        const now = performance.now()
        latenciesMs.push(now - sentAt)
        if (now - start < durationMs && latenciesMs.length < maxRequests) return send()
        resolve(undefined)
        socket.destroy()
      })
    })

  await Promise.all(Array.from({ length: connections }, one))
  return { requests: latenciesMs.length, seconds: (performance.now() - start) / 1000, latenciesMs }
}

function endsStream(/** @type {Buffer} */ chunk) {
  return chunk.toString('latin1', Math.max(0, chunk.length - lastChunk.length)) === lastChunk
}

/**
 * The length of a whole answer, from its first piece; undefined for a stream of chunks.
 *
 * @param {Buffer} chunk
 * @param {(error: Error) => void} reject called for an invalid response.
 */
function lengthOf(chunk, reject) {
  const headEnd = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, headEnd)
  if (!head.startsWith('HTTP/1.1 200')) reject(new Error(`answered ${chunk.toString('latin1', 0, 500)}`))
  if (/transfer-encoding: chunked/i.test(head)) return undefined
  const [, length = '0'] = /content-length: (\d+)/i.exec(head) ?? []
  return headEnd + 4 + Number(length)
}
