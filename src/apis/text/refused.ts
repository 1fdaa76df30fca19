import { relayError, upstreamError } from '../../gateway/replies/errors.ts'
import type { Quirks } from '../../gateway/quirks.ts'
import { WorkRefused } from '../../engine/work-budget.ts'
import { SchemaRefused } from '../../text/spec.ts'

/**
 * A request that can't be answered. Whoever reads requests throws it without knowing envelopes; {@link readingFor}
 * puts it into one.
 */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  /** Who would have refused: the gateway looks at little, the service behind it at everything else. */
  readonly by: 'gateway' | 'upstream'

  constructor(message: string, by: 'gateway' | 'upstream' = 'upstream') {
    super(message)
    this.by = by
  }
}

/** The words of a dialect for a request that the service behind the gateway refuses. */
export interface RefusedWords {
  readonly type: string
  readonly code: string | number
}

/** Does something with a request, and puts refusals into an envelope. */
export type Reading = <T>(read: () => T) => T

/**
 * Reads a request; a refusal comes out as the gateway's own, or as what it passes on.
 *
 * @assumed §7 the answers to bad requests are not shown; wire §2.4: the gateway really answers its own with 500.
 * @throws {GatewayError}
 */
export function readingFor({ clientErrorStatus }: Quirks, words: RefusedWords): Reading {
  return (read) => {
    try {
      return read()
    } catch (error) {
      if (error instanceof SchemaRefused || error instanceof WorkRefused)
        throw upstreamError(400, error.message, words)
      if (!(error instanceof RequestRefused)) throw error
      throw error.by === 'upstream'
        ? upstreamError(400, error.message, words)
        : relayError(clientErrorStatus, 'invalid_request', error.message)
    }
  }
}
