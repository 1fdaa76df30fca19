import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { textSettings } from '../text/settings.ts'
import * as lists from './lists.ts'

/** OpenAI's Embeddings API, over the same vectors as the native one. */
export const embeddingsApi = defineApi({
  name: 'embeddings',
  readSettings: textSettings,
  title: 'Embeddings',
  description: "OpenAI's Embeddings API.",
  modelKind: 'embedding',
  instead: [
    [
      /^\/v1\/engines\/[^/]+\/embeddings$/,
      `Engines are not offered. Embeddings are made by POST /v1/embeddings (embeddings.create). ${handlers}`,
    ],
  ],
  ...lists,
})
