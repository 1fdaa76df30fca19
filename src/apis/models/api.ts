import { handlers } from '../other-apis.ts'
import { messagesKeyPlace } from '../text/anthropic/key.ts'
import { nativeKeyPlaces } from '../text/native/request.ts'
import { defineApi } from '../define/api.ts'
import { modelsCredential } from './listing.ts'
import { textSettings } from '../text/settings.ts'
import * as lists from './lists.ts'

/** Models and prices (§8). */
export const modelsApi = defineApi({
  name: 'models',
  readSettings: textSettings,
  title: 'Models',
  description:
    "Models and prices. A native key selects the form of the native API, `x-api-key` with `anthropic-version` that of Anthropic's.",
  keys: [...nativeKeyPlaces, messagesKeyPlace],
  credential: modelsCredential,
  unimplemented: /^DELETE \/v1\/models\/[^/]+$/,
  // Only models are served there.
  folders: [['/v1beta/openai/', '/v1/']],
  instead: [
    [
      /^\/api\/(?:user|token|usage|status|log|task|mj|channel|group|option|data)(?:\/|$)/,
      `The gateway's administration is not offered. Prices are listed by GET /api/pricing (models.prices). ${handlers}`,
    ],
  ],
  ...lists,
})
