import * as z from 'zod/mini'
import type { balanceApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { gatewayError, unixSeconds, type ApiSchema } from '../define/operation-schema.ts'

export const balanceSchemas: ApiSchema<NamesOf<[typeof balanceApi]>> = {
  title: 'Balance',
  description: 'What a key may spend, and what it has spent.',
  error: gatewayError,
  operations: {
    'balance.subscription': {
      summary: 'Get the limit of a key',
      answer: {
        json: named(
          'Subscription',
          z.object({
            object: z.literal('billing_subscription'),
            has_payment_method: z.boolean(),
            soft_limit_usd: z.number(),
            hard_limit_usd: must(z.number(), 'In dollars. 100 million for a key without a balance.', 5),
            system_hard_limit_usd: z.number(),
            access_until: must(unixSeconds, 'When the key expires; 0 for never.'),
          }),
          'The limit of a key.',
        ),
      },
    },
    'balance.usage': {
      summary: 'Get what a key has spent',
      query: z.object({
        start_date: may(z.string(), 'Ignored.', '2030-01-01'),
        end_date: may(z.string(), 'Ignored.', '2030-01-31'),
      }),
      answer: {
        json: named(
          'BalanceUsage',
          z.object({ object: z.literal('list'), total_usage: must(z.number(), 'In cents.', 8) }),
          'What a key has spent, reserved money too.',
        ),
      },
    },
  },
}
