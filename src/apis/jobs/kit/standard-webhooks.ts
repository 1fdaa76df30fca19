import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import type { SignMessage } from '../../../gateway/callbacks/plan.ts'
import { ApiError } from './check.ts'

const secretForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/

/**
 * Signs webhooks as https://www.standardwebhooks.com describes: `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 *
 * @param secret `whsec_` and base64.
 * @throws {ApiError} for another secret.
 *
 * @example
 * const sign = standardWebhooks('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
 * const message = { raw: '{"test": 2432232314}', id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' }
 * const headers = sign({ ...message, now: 1_614_265_330_000 })
 * headers['webhook-signature'] // → 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
 */
export function standardWebhooks(secret: string): SignMessage {
  if (!secretForm.test(secret))
    throw new ApiError('The secret of standardWebhooks must be whsec_ and base64.')
  const key = Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
  return ({ raw, id, now }) => {
    const timestamp = String(Math.floor(now / 1000))
    const mac = hmac(sha256, key, new TextEncoder().encode(`${id}.${timestamp}.${raw}`))
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...mac))}`,
    }
  }
}
