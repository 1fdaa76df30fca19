/**
 * Whether a response must leave a header to the server that writes it. `Connection` may only ask to close: with
 * `keep-alive`, node:http would keep a connection that the client asked to close (RFC 9112 §9.6).
 */
export function isLeftToServer(name: string, value: string): boolean {
  return name.toLowerCase() === 'connection' && !/(?:^|,)\s*close\s*(?:,|$)/i.test(value)
}

/** The headers of a fetch response, without those that are left to the server. */
export function listHeaders(headers: Iterable<[string, string]>): [string, string][] {
  return [...headers].filter(([name, value]) => !isLeftToServer(name, value))
}
