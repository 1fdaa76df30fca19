import * as z from 'zod/mini'
import { toUnixSeconds } from '../../engine/clock/duration.ts'
import { may } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { defineJobs } from '../jobs/define-jobs.ts'
import type { ApiDefinition } from '../jobs/kit/definition.ts'
import { call, refusal } from '../jobs/kit/operations.ts'
import { handlers } from '../other-apis.ts'

/** What a key without a balance may spend, in dollars: a sum that stands for no limit. */
const unlimited = 100_000_000

const dates = defineForm(
  () =>
    z.object({
      start_date: may(z.string(), 'Ignored.', '2030-01-01'),
      end_date: may(z.string(), 'Ignored.', '2030-01-31'),
    }),
  ({ field }) => refusal(`${field} must be a text`),
  { isQuery: true },
)

/** What a key may spend, and what it has spent. */
const balance = {
  name: 'balance',
  title: 'Balance',
  contentType: 'application/json; charset=utf-8',
  error: (_refusal, { usual }) => usual,
  operations: {
    /**
     * What a key may spend in all: what is left, and what was spent.
     * @assumed §8 the balance is undocumented; the public code of the gateway, `controller/billing.go`. Limits are in dollars.
     */
    subscription: call({
      route: 'GET /v1/dashboard/billing/subscription',
      also: ['/dashboard/billing/subscription'],
      summary: 'Get the limit of a key',
      goldens: true,
      reply: ({ account: { balance: left, spent, reserved, expires } }) => {
        // Sums of decimal fractions have rounding errors.
        const limit = left === null ? unlimited : Number((left + spent + reserved).toFixed(6))
        return {
          object: 'billing_subscription',
          has_payment_method: true,
          soft_limit_usd: limit,
          hard_limit_usd: limit,
          system_hard_limit_usd: limit,
          // 0 for a key that never expires.
          access_until: toUnixSeconds(expires ?? 0),
        }
      },
    }),
    /**
     * The money that a key has spent, in cents. Money that is reserved for open tasks counts: the gateway takes it in advance. Dates
     * in the query are ignored, as there.
     * @assumed §8 usage is undocumented; the public code of the gateway, `controller/billing.go`.
     */
    usage: call({
      route: 'GET /v1/dashboard/billing/usage',
      also: ['/dashboard/billing/usage'],
      summary: 'Get what a key has spent',
      body: dates,
      goldens: true,
      reply: ({ account: { spent, reserved } }) => ({
        object: 'list',
        total_usage: Number(((spent + reserved) * 100).toFixed(4)),
      }),
    }),
  },
} as const satisfies ApiDefinition

export const balanceApi = defineJobs(balance, {
  description: 'What a key may spend, and what it has spent.',
  instead: [
    [
      /^\/(?:v1\/)?dashboard\/billing\/(?!(?:subscription|usage)$)/,
      `Other bills are not offered. What a key may spend is GET /v1/dashboard/billing/subscription (balance.subscription). ${handlers}`,
    ],
  ],
})
