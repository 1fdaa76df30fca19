import { handlers } from '../other-apis.ts'
import { streamVariants } from '../text/variants.ts'
import { endsOf } from '../text/ends/end.ts'
import { textEnds } from '../text/ends/lists.ts'
import { defineApi } from '../define/api.ts'
import { prepareWriter } from '../text/prepare.ts'
import { messagesKey, messagesKeyPlace } from '../text/anthropic/key.ts'
import { textQuirks, textSettings } from '../text/settings.ts'
import { readMessageEvent } from './observe.ts'
import * as lists from './lists.ts'

/** Anthropic's Messages API, over the same texts as chats. */
export const messagesApi = defineApi({
  name: 'messages',
  readSettings: textSettings,
  load: prepareWriter,
  title: 'Messages',
  description: "Anthropic's Messages API over the same texts as chats.",
  keys: [messagesKeyPlace],
  credential: messagesKey,
  base: { name: 'anthropic', path: '' },
  variables: { ANTHROPIC_BASE_URL: '${url}', ANTHROPIC_API_KEY: '${key}' },
  exploration: {
    variants: streamVariants('messages', 'messages.create', ' of messages'),
    textEnds: endsOf(textEnds, 'messages'),
    tokenLimit: 'length',
  },
  settings: { quirks: textQuirks },
  instead: [
    [
      /^\/v1\/messages\/batches(?:\/|$)/,
      `Batches are not offered. Messages are written by POST /v1/messages (messages.create). ${handlers}`,
    ],
  ],
  readEvent: readMessageEvent,
  ...lists,
})
