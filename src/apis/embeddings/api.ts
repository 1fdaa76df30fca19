import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { embeddingsCreate } from './create.ts'

/** OpenAI's Embeddings API, over the same vectors as the native one. */
export const embeddingsApi = defineApi({
  name: 'embeddings',
  instead: [
    [
      /^\/v1\/engines\/[^/]+\/embeddings$/,
      `Engines are not offered. Embeddings are made by POST /v1/embeddings (embeddings.create). ${handlers}`,
    ],
  ],
  operations: [embeddingsCreate],
})
