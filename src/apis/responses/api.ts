import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { attachStore } from '../text/store.ts'
import { responsesCreate } from './create.ts'
import { responsesDelete, responsesInputItems, responsesRetrieve } from './stored.ts'

/** OpenAI's Responses API, over the same texts as chats. */
export const responsesApi = defineApi({
  name: 'responses',
  attach: attachStore,
  exploration: {
    variants: [
      { id: 'CRLF events of responses', operation: 'responses.create', quirks: { sseNewline: 'crlf' } },
    ],
  },
  instead: [
    [
      /^\/v1\/(?:conversations|assistants|threads)(?:\/|$)/,
      `Stored conversations are not offered. Pass previous_response_id to POST /v1/responses (responses.create). ${handlers}`,
    ],
    [
      /^\/v1\/responses\/(?:[^/]+\/cancel|compact|input_tokens)$/,
      `Background responses, compaction and counting are not offered. Responses are written by POST /v1/responses (responses.create). ${handlers}`,
    ],
  ],
  operations: [responsesCreate, responsesRetrieve, responsesInputItems, responsesDelete],
})
