/** Limits that protect a port from its clients. */
export interface PortLimits {
  /** How many connections may be open at a time. Further ones are refused with 503. */
  readonly connections: number
  /** How many further connections may wait to be accepted. Beyond that, the client's system retries seconds later. */
  readonly waiting: number
  /** The maximum size of request line and headers together. More is refused with 431. */
  readonly headerBytes: number
  /** How long a client may take to send its headers. Then it gets 408. */
  readonly headersMs: number
  /** How long a client may take to send headers and body. Then it gets 408. */
  readonly requestMs: number
  /** How long a client may leave bytes of a response unread. Then the connection is closed. */
  readonly stalledMs: number
  /** How long a response may take from request to end, on the host's clock. Then the connection is closed. */
  readonly answerMs: number
  /** How long a connection may be idle between requests. */
  readonly idleMs: number
  /** The interval at which these times are checked. Each may be exceeded by as much. */
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
