import { defineApi } from '../define/api.ts'
import { embeddingsCreate } from './create.ts'

/** OpenAI's Embeddings API, over the same vectors as the native one. */
export const embeddingsApi = defineApi({
  name: 'embeddings',
  operations: [embeddingsCreate],
})
