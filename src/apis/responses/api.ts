import { defineApi } from '../define/api.ts'
import { responsesCreate } from './create.ts'
import { responsesDelete, responsesInputItems, responsesRetrieve } from './stored.ts'

/** OpenAI's Responses API, over the same texts as chats. */
export const responsesApi = defineApi({
  name: 'responses',
  operations: [responsesCreate, responsesRetrieve, responsesInputItems, responsesDelete],
})
