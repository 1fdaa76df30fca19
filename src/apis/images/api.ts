import { handlers } from '../other-apis.ts'
import { textSettings } from '../text/settings.ts'
import { defineApi } from '../define/api.ts'
import { attachStore } from '../text/store.ts'
import { imagesError } from './refusals.ts'
import * as lists from './lists.ts'

/** OpenAI's Images API, and the images behind its URLs. */
export const imagesApi = defineApi({
  name: 'images',
  readSettings: textSettings,
  title: 'Images',
  description: "OpenAI's Images API.",
  error: imagesError,
  attach: attachStore,
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
