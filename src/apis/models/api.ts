import { defineApi } from '../define/api.ts'
import { modelsGet, modelsList } from './listing.ts'
import { modelsPrices } from './prices.ts'

/** Models and prices (§8). */
export const modelsApi = defineApi({
  name: 'models',
  operations: [modelsList, modelsGet, modelsPrices],
})
