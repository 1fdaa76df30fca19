import { defineApi } from '../define/api.ts'
import { attachStore } from '../text/store.ts'
import { imagesEdit } from './edit.ts'
import { imagesFile } from './file.ts'
import { imagesGenerate } from './generate.ts'

/** OpenAI's Images API, and the images behind its URLs. */
export const imagesApi = defineApi({
  name: 'images',
  attach: attachStore,
  operations: [imagesGenerate, imagesEdit, imagesFile],
})
