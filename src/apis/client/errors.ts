import { recognizeCopies } from '../../engine/shared-error.ts'

/** Thrown if there is no usable response: the connection broke, or the response is incomplete or unreadable. */
export class TransportError extends Error {
  static {
    recognizeCopies(this, 'client.TransportError')
  }

  override name = 'TransportError'
}

/** Thrown if no byte arrived for too long. The gateway may have accepted the request. */
export class TimedOut extends TransportError {
  static {
    recognizeCopies(this, 'client.TimedOut')
  }

  override name = 'TimedOut'
}

/** Thrown if the gateway responds with an error. */
export class Refused extends Error {
  static {
    recognizeCopies(this, 'client.Refused')
  }

  override name = 'Refused'
  readonly status: number
  /** The wait that `Retry-After` requests; undefined without it. */
  readonly retryAfterMs: number | undefined
  readonly isRetryable: boolean

  constructor(
    message: string,
    fields: { status: number; retryAfterMs?: number | undefined; isRetryable?: boolean },
  ) {
    super(message)
    this.status = fields.status
    this.retryAfterMs = fields.retryAfterMs
    this.isRetryable = fields.isRetryable ?? (fields.status >= 500 || [408, 425, 429].includes(fields.status))
  }
}

/** Thrown if the task took longer than `giveUpAfter`. */
export class DeadlineExceeded extends Error {
  static {
    recognizeCopies(this, 'client.DeadlineExceeded')
  }

  override name = 'DeadlineExceeded'
}

/** Thrown if the task failed, with the gateway's reason. */
export class Failed extends Error {
  static {
    recognizeCopies(this, 'client.Failed')
  }

  override name = 'Failed'
}

/** Thrown if no response offers what the step needs: then the step or the scenario is wrong. */
export class Impossible extends Error {
  static {
    recognizeCopies(this, 'client.Impossible')
  }

  override name = 'Impossible'
}

/** Whether a submission may be repeated. One that timed out may have created a task, so repeating it could pay twice. */
export function canResubmit(error: unknown): boolean {
  return isRetryable(error) && !(error instanceof TimedOut)
}

export function isRetryable(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof Refused && error.isRetryable)
}

/**
 * Parses `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
 * @returns milliseconds; undefined for anything else.
 */
export function parseRetryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now)
}
