import { defineApi } from '../define/api.ts'
import { attachStore } from '../text/store.ts'
import { responsesCreate } from './create.ts'
import { responsesDelete, responsesInputItems, responsesRetrieve } from './stored.ts'

/** OpenAI's Responses API, over the same texts as chats. */
export const responsesApi = defineApi({
  name: 'responses',
  attach: attachStore,
  operations: [responsesCreate, responsesRetrieve, responsesInputItems, responsesDelete],
})
