import { defineApi } from '../define/api.ts'
import { balanceSubscription } from './subscription.ts'
import { balanceUsage } from './usage.ts'

/** What a key may spend, and what it has spent. */
export const balanceApi = defineApi({
  name: 'balance',
  operations: [balanceSubscription, balanceUsage],
})
