import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { modelsGet, modelsList } from './listing.ts'
import { modelsPrices } from './prices.ts'

/** Models and prices (§8). */
export const modelsApi = defineApi({
  name: 'models',
  instead: [
    [
      /^\/api\/(?:user|token|usage|status|log|task|mj|channel|group|option|data)(?:\/|$)/,
      `The gateway's administration is not offered. Prices are listed by GET /api/pricing (models.prices). ${handlers}`,
    ],
  ],
  operations: [modelsList, modelsGet, modelsPrices],
})
