import { BlockList, isIP } from 'node:net'

/** What IANA sets aside in IPv4, and what clouds answer themselves with secrets in it. */
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

/**
 * Of IPv6 only this is public. So loopback, unique local, link-local, multicast, and IPv4 in its mapped form
 * are out without being listed.
 */
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')
// How a network without IPv4 reaches it: the last 32 bits are the IPv4 address.
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
 * Whether anybody on the internet could connect to the address, so that greenroom reaches nothing by it that
 * its client could not reach alone.
 * @param address as a resolver writes it, without brackets. What is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !reserved.check(address, 'ipv4')
  // A zone, as in `fe80::1%eth0`, means the address counts on one link only.
  if (version !== 6 || address.includes('%')) return false
  return publicV6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
