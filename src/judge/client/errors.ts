/** Nothing came that could be used: the connection broke, the answer is not whole, or it can't be read. */
export class TransportError extends Error {
  override name = 'Lost'
}

/** The gateway said no. */
export class Refused extends Error {
  override name = 'Refused'
  readonly status: number
  /** How long it asks to wait; undefined where it doesn't. */
  readonly retryAfterMs: number | undefined
  /** Whether the same may be answered otherwise later. */
  readonly passes: boolean

  constructor(
    message: string,
    more: { status: number; retryAfterMs?: number | undefined; passes?: boolean },
  ) {
    super(message)
    this.status = more.status
    this.retryAfterMs = more.retryAfterMs
    this.passes = more.passes ?? (more.status >= 500 || [408, 425, 429].includes(more.status))
  }
}

/** The task took longer than the client would wait. */
export class DeadlineExceeded extends Error {
  override name = 'GaveUp'
}

/** The task itself ended badly, with the gateway's reason. */
export class Failed extends Error {
  override name = 'Failed'
}

/** The step wants what no answer offers: whoever wrote it is wrong, or the script that it is played to. */
export class Impossible extends Error {
  override name = 'Impossible'
}

/** Whether it is worth trying the same again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof Refused && error.passes)
}

/**
 * How long an answer asks to wait: seconds, or a date (RFC 9110 §10.2.3).
 * @returns milliseconds; undefined for what is neither.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now)
}
