import { handlers } from '../other-apis.ts'
import { defineTextApi } from '../text/define-text-api.ts'
import { blockedPrompt } from '../text/ends/blocked-prompt.ts'
import { attachStore } from '../text/store.ts'
import { responseCalls, responsesCreate } from './create.ts'
import * as lists from './lists.ts'

/** OpenAI's Responses API, over the same texts as chats. */
export const responsesApi = defineTextApi({
  name: 'responses',
  title: 'Responses',
  description: "OpenAI's Responses API over the same texts as chats.",
  attach: attachStore,
  // A blocked prompt is refused with status 400.
  texts: { streams: responsesCreate.name, of: ' of responses', calls: responseCalls, lacks: [blockedPrompt] },
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
  readEvent: ({ type, delta }) => ({
    text: type === 'response.output_text.delta' ? delta : '',
    ...(type === 'response.completed' && { finishReason: 'stop' }),
  }),
  ...lists,
})
