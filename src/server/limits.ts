/** The port of a server without `port`. */
export const defaultPort = 4646

/** Limits that protect a port from its clients. */
export interface PortLimits {
  /** How many connections are open at a time; the next is refused with 503. */
  readonly connections: number
  /** How many more may wait to be accepted. Beyond that, the client's system tries again seconds later. */
  readonly waiting: number
  /** Request line and headers together; more is refused with 431. */
  readonly headerBytes: number
  /** How long a client may take for its headers; then 408. */
  readonly headersMs: number
  /** How long it may take for headers and body; then 408. */
  readonly requestMs: number
  /** How long it may leave bytes of a response unread; then the connection is closed. */
  readonly stalledMs: number
  /** How long a response may take from its request to its end, on the host's clock; then the connection is closed. */
  readonly answerMs: number
  /** How long a connection may be idle between requests. */
  readonly idleMs: number
  /** How often the times above are checked, so each may be longer by as much. */
  readonly everyMs: number
}

/** The limits of every server, in milliseconds of the host and in bytes. */
export const portLimits: PortLimits = {
  connections: 10_000,
  waiting: 4_096,
  headerBytes: 16 * 1024,
  headersMs: 60_000,
  requestMs: 300_000,
  stalledMs: 300_000,
  answerMs: 24 * 3_600_000,
  idleMs: 65_000,
  everyMs: 10_000,
}
