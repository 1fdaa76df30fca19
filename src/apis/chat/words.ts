import type { RefusedWords } from '../text/refused.ts'

/**
 * The words of the protocol for what the service behind the gateway refuses.
 * @assumed §7 error codes are not shown; wire §9.4.
 */
export function upstreamWords(status: number): RefusedWords {
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  return status < 500
    ? { type: 'invalid_request_error', code: 'invalid_value' }
    : { type: 'server_error', code: status }
}
