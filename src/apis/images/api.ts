import { handlers } from '../other-apis.ts'
import { quirk } from '../../scenario/schema/fields.ts'
import { textSettings } from '../text/settings.ts'
import { defineApi } from '../define/api.ts'
import { attachStore } from '../text/store.ts'
import * as lists from './lists.ts'

/** OpenAI's Images API, and the images behind its URLs. */
export const imagesApi = defineApi({
  name: 'images',
  readSettings: textSettings,
  title: 'Images',
  description: "OpenAI's Images API.",
  attach: attachStore,
  settings: {
    quirks: {
      imageFormat: quirk(
        ['vendor', 'url', 'base64'],
        'How images come: `vendor` sends URLs, but base64 for models named gpt-image, which refuse `response_format`. The others take `response_format` for every model; without it, `base64` sends base64, and `url` what `vendor` sends.',
      ),
    },
  },
  exploration: {
    variants: [
      {
        id: 'base64 images',
        operation: 'images.generate',
        advice:
          'An image comes as a URL or as base64, whichever the gateway prefers: read `url` and `b64_json`.',
        quirks: { imageFormat: 'base64' },
      },
    ],
  },
  unimplemented: /^POST \/v1\/images\/variations$/,
  instead: [
    [
      /^\/v1\/images\/variations\/?$/,
      `Variations are not offered. Images are changed by POST /v1/images/edits (images.edit). ${handlers}`,
    ],
    [
      /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)(?:predict|generateImages?)$/i,
      `Image models are not offered here. Images are made by POST /v1/images/generations (images.generate). ${handlers}`,
    ],
  ],
  ...lists,
})
