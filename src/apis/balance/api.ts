import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import * as lists from './lists.ts'

/** What a key may spend, and what it has spent. */
export const balanceApi = defineApi({
  name: 'balance',
  title: 'Balance',
  description: 'What a key may spend, and what it has spent.',
  instead: [
    [
      /^\/(?:v1\/)?dashboard\/billing\/(?!(?:subscription|usage)$)/,
      `Other bills are not offered. What a key may spend is GET /v1/dashboard/billing/subscription (balance.subscription). ${handlers}`,
    ],
  ],
  ...lists,
})
