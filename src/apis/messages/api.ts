import { handlers } from '../other-apis.ts'
import { defineTextApi } from '../text/define-text-api.ts'
import { noCandidate } from '../text/ends/no-candidate.ts'
import { refusal } from '../text/ends/refusal.ts'
import { messagesKey, messagesKeyPlace } from '../text/anthropic/key.ts'
import { messageCalls, messagesCreate } from './create.ts'
import { readMessageEvent } from './observe.ts'
import * as lists from './lists.ts'

/** Anthropic's Messages API, over the same texts as chats. */
export const messagesApi = defineTextApi({
  name: 'messages',
  title: 'Messages',
  description: "Anthropic's Messages API over the same texts as chats.",
  keys: [messagesKeyPlace],
  credential: messagesKey,
  base: { name: 'anthropic', path: '' },
  variables: { ANTHROPIC_BASE_URL: '${url}', ANTHROPIC_API_KEY: '${key}' },
  texts: {
    streams: messagesCreate.name,
    of: ' of messages',
    calls: messageCalls,
    lacks: [noCandidate, refusal],
    tokenLimit: 'length',
    hasUsage: true,
  },
  instead: [
    [
      /^\/v1\/messages\/batches(?:\/|$)/,
      `Batches are not offered. Messages are written by POST /v1/messages (messages.create). ${handlers}`,
    ],
  ],
  readEvent: readMessageEvent,
  ...lists,
})
