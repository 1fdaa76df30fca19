import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

/** An address to connect to. */
interface Target {
  address: string
  family: number
}

/**
 * Asks for one address, once: nothing is followed, and no body is read.
 * @param addresses the only ones that are connected to, whatever the name resolves to by now.
 * @throws {Error} the socket's own when there is no answer, or the signal's.
 */
export function openExchange(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  const request = (secure ? requestHttps : requestHttp)(url, {
    // An agent of its own: no connection is shared, and the global one may go through a proxy.
    agent: secure ? new HttpsAgent() : new HttpAgent(),
    lookup: pinned(addresses.map((address) => ({ address, family: isIP(address) }))),
    headers: { 'User-Agent': 'greenroom', Accept: 'image/*', 'Accept-Encoding': 'identity' },
    signal,
  })
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // An answer that switches protocols ends with neither of the two.
    request.on('close', () => reject(new Error('the connection was closed without an answer')))
    request.end()
  })
}

/**
 * The body of an answer, read no further than it may go, whatever its length is said to be.
 * @returns the bytes, or `undefined` when there are more than `maxBytes`.
 * @throws {Error} when the connection breaks off.
 */
export async function bodyWithin(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy()
    return undefined
  }
  const chunks: Buffer[] = []
  let length = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** Stands in for the resolver, so that a name can't point elsewhere between its check and the connection. */
function pinned(targets: readonly Target[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...targets])
    else callback(null, targets[0]!.address, targets[0]!.family)
  }
}
