import { accountOf } from '../../gateway/accounts/billing.ts'
import { relayError } from '../../gateway/replies/errors.ts'
import type { Context } from '../../gateway/route.ts'

/**
 * Charges whoever asks for tokens.
 * @throws {GatewayError} for a key that can't pay; then nothing is charged.
 */
export function payForTokens(
  context: Context,
  model: string,
  tokens: { readonly input: number; readonly output: number },
): void {
  const quota = context.billing.quotaFor(model, { tokens })
  const account = accountOf(context)
  const shortage = account.shortage(quota, context.now)
  if (shortage) throw relayError(403, shortage.code, shortage.message)
  account.charge({ quota, tokens }, context.now)
}
