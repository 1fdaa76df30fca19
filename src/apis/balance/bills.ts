import { toUnixSeconds } from '../../engine/clock/duration.ts'
import * as z from 'zod/mini'
import type { Exchange } from '../../gateway/exchange.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { may } from '../../scenario/schema/fields.ts'
import { defineOperation } from '../define/operation.ts'

/** What a key without a balance may spend, in dollars: a sum that stands for no limit. */
const unlimited = 100_000_000

/**
 * What a key may spend in all: what is left, and what was spent.
 * @assumed §8 the balance is undocumented; the public code of the gateway, `controller/billing.go`. Limits are in dollars.
 */
export const balanceSubscription = defineOperation(
  {
    name: 'balance.subscription',
    summary: 'Get the limit of a key',
    role: 'read',
    route: 'GET /v1/dashboard/billing/subscription',
    aliases: ['/dashboard/billing/subscription'],
  },
  () => ({
    respond: (x) => {
      const { balance, spent, reserved } = x.account.usage(x.now)
      // Sums of decimal fractions have rounding errors.
      const limit = balance === null ? unlimited : Number((balance + spent + reserved).toFixed(6))
      return jsonReply(200, {
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: limit,
        hard_limit_usd: limit,
        system_hard_limit_usd: limit,
        access_until: expiryOf(x),
      })
    },
  }),
)

/** When a key expires, in Unix seconds; 0 for never. */
function expiryOf({ key }: Exchange): number {
  const { expires } = key ?? {}
  if (expires === undefined) return 0
  return toUnixSeconds(typeof expires === 'number' ? expires : Date.parse(expires))
}

/**
 * The money that a key has spent, in cents. Money that is reserved for open tasks counts: the gateway takes it in advance. Dates in
 * the query are ignored, as there.
 * @assumed §8 usage is undocumented; the public code of the gateway, `controller/billing.go`.
 */
export const balanceUsage = defineOperation(
  {
    name: 'balance.usage',
    summary: 'Get what a key has spent',
    role: 'read',
    route: 'GET /v1/dashboard/billing/usage',
    aliases: ['/dashboard/billing/usage'],
    schema: () => ({
      query: z.object({
        start_date: may(z.string(), 'Ignored.', '2030-01-01'),
        end_date: may(z.string(), 'Ignored.', '2030-01-31'),
      }),
    }),
  },
  () => ({
    respond: (x) => {
      const { spent, reserved } = x.account.usage(x.now)
      return jsonReply(200, { object: 'list', total_usage: Number(((spent + reserved) * 100).toFixed(4)) })
    },
  }),
)
