import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Ranges of IPv4 that IANA reserves, and addresses at which clouds serve credentials. */
const reservedV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // behind a carrier's NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host agent, which only machines inside can reach
  ['169.254.0.0', 16], // link-local, and the metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/** The only public range of IPv6. It excludes loopback, unique local, link-local, multicast and mapped IPv4 addresses. */
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')
// The prefix by which an IPv6-only network reaches IPv4: the last 32 bits are the IPv4 address.
publicV6.addSubnet('64:ff9b::', 96, 'ipv6')

const reserved = new BlockList()
for (const [network, prefix] of reservedV4) {
  reserved.addSubnet(network, prefix, 'ipv4')
  reserved.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6')
}
reserved.addSubnet('2001::', 23, 'ipv6') // protocol assignments, among them Teredo, which carries IPv4
reserved.addSubnet('2001:db8::', 32, 'ipv6') // documentation
reserved.addSubnet('2002::', 16, 'ipv6') // 6to4, which carries IPv4
reserved.addSubnet('3fff::', 20, 'ipv6') // documentation

/**
 * Whether an address is public. Greenroom must not give a client access to other addresses.
 * @param address in the form of a resolver, without brackets. An invalid address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !reserved.check(address, 'ipv4')
  // An address with a zone, such as `fe80::1%eth0`, is valid on one link only.
  if (version !== 6 || address.includes('%')) return false
  return publicV6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}

/** An address to connect to. */
interface Target {
  address: string
  family: number
}

/**
 * Sends one request. Follows no redirect, and reads no body.
 * @param addresses the only addresses to connect to, whatever the name resolves to now.
 * @throws {Error} of the socket if there is no response, or of the signal.
 */
export function openConnection(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  const request = (secure ? requestHttps : requestHttp)(url, {
    // An agent of its own, so that no connection is shared. The global one may use a proxy.
    agent: secure ? new HttpsAgent() : new HttpAgent(),
    lookup: lookupOf(addresses.map((address) => ({ address, family: isIP(address) }))),
    headers: { 'User-Agent': 'greenroom', Accept: 'image/*', 'Accept-Encoding': 'identity' },
    signal,
  })
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // A response that switches protocols emits neither of these events.
    request.on('close', () => reject(new Error('the connection was closed without an answer')))
    request.end()
  })
}

/**
 * Reads the body of a response up to a limit, whatever Content-Length says.
 * @returns the bytes; undefined if there are more than `maxBytes`.
 * @throws {Error} if the connection breaks off.
 */
export async function readResponseBody(
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

/** Replaces the resolver, so that a name can't point elsewhere between its check and the connection. */
function lookupOf(targets: readonly Target[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...targets])
    else callback(null, targets[0]!.address, targets[0]!.family)
  }
}
