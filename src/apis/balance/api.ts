import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { balanceSubscription } from './subscription.ts'
import { balanceUsage } from './usage.ts'

/** What a key may spend, and what it has spent. */
export const balanceApi = defineApi({
  name: 'balance',
  instead: [
    [
      /^\/(?:v1\/)?dashboard\/billing\//,
      `Other bills are not offered. What a key may spend is GET /v1/dashboard/billing/subscription (balance.subscription). ${handlers}`,
    ],
  ],
  operations: [balanceSubscription, balanceUsage],
})
