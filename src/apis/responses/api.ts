import { handlers } from '../other-apis.ts'
import { streamVariants } from '../text/variants.ts'
import { endsOf } from '../text/ends/end.ts'
import { textEnds } from '../text/ends/lists.ts'
import { defineApi } from '../define/api.ts'
import { prepareWriter } from '../text/prepare.ts'
import { attachStore } from '../text/store.ts'
import { textQuirks, textSettings } from '../text/settings.ts'
import * as lists from './lists.ts'

/** OpenAI's Responses API, over the same texts as chats. */
export const responsesApi = defineApi({
  name: 'responses',
  readSettings: textSettings,
  load: prepareWriter,
  title: 'Responses',
  description: "OpenAI's Responses API over the same texts as chats.",
  attach: attachStore,
  exploration: {
    variants: streamVariants('responses', 'responses.create', ' of responses'),
    textEnds: endsOf(textEnds, 'responses'),
  },
  settings: { quirks: textQuirks },
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
