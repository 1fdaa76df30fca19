// A load generator on plain sockets: it costs far less than what it measures.
import { connect } from 'node:net'

/**
 * Sends the same request again and again over a few connections, one at a time on each, for a while.
 *
 * @param {{ url: string, request: string, connections: number, durationMs: number }} options
 * @returns {Promise<{ requests: number, seconds: number, latenciesMs: number[] }>}
 */
export async function load({ url, request, connections, durationMs }) {
  const { hostname, port } = new URL(url)
  const start = performance.now()
  const latenciesMs = /** @type {number[]} */ ([])
  // Nearly all answers are of the same length and come in one piece; reading each one's head would cost more
  // than the servers that are measured.
  let usualBytes = 0

  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let missing = 0
      let sentAt = 0
      const send = () => {
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        if (missing > 0) missing -= chunk.length
        else if (chunk.length !== usualBytes) {
          usualBytes = lengthOf(chunk)
          missing = usualBytes - chunk.length
        }
        if (missing > 0) return
        const now = performance.now()
        latenciesMs.push(now - sentAt)
        if (now - start < durationMs) return send()
        socket.end()
        resolve(undefined)
      })
    })

  await Promise.all(Array.from({ length: connections }, one))
  return { requests: latenciesMs.length, seconds: (performance.now() - start) / 1000, latenciesMs }
}

/** The length of a whole answer, from its first piece. @param {Buffer} chunk */
function lengthOf(chunk) {
  const headEnd = chunk.indexOf('\r\n\r\n')
  const [, length = '0'] = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, headEnd)) ?? []
  return headEnd + 4 + Number(length)
}
