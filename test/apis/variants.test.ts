import { expect, it } from 'vitest'
import { apis } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'
import { servedRows } from '../support/needs.ts'

it('has these gateways to explore, by API, which need no option', () => {
  const variants = apis.flatMap(({ name, exploration }: Api) =>
    (exploration?.variants ?? []).map(
      ({ id, operation, needs }) => `${name}: ${id} (${operation})${needs ? ', needs an option' : ''}`,
    ),
  )
  expect(variants).toEqual(
    servedRows([
      'video: upstream statuses (video.poll)',
      'video: redirected downloads (video.content)',
      'video: other words (video.poll)',
      'video: polls without data (video.poll)',
      'video: expired videos (video.content)',
      'native-text: no usage (text.stream)',
      'native-text: CRLF events (text.stream)',
      'native-text: CR events (text.stream)',
      'native-text: commented events (text.stream)',
      'native-text: labelled events (text.stream)',
      'native-text: dense events (text.stream)',
      'native-text: open-ended events (text.stream)',
      'native-text: split events (text.stream)',
      'chat: no usage of chats (chat.complete)',
      'chat: CRLF events of chats (chat.complete)',
      'chat: CR events of chats (chat.complete)',
      'chat: commented events of chats (chat.complete)',
      'chat: labelled events of chats (chat.complete)',
      'chat: dense events of chats (chat.complete)',
      'chat: open-ended events of chats (chat.complete)',
      'chat: split events of chats (chat.complete)',
      'chat: calls at once of chats (chat.complete)',
      'chat: calls of index 0 of chats (chat.complete)',
      'chat: interleaved calls of chats (chat.complete)',
      'chat: calls without id of chats (chat.complete)',
      'chat: calls without index of chats (chat.complete)',
      'responses: no usage of responses (responses.create)',
      'responses: CRLF events of responses (responses.create)',
      'responses: CR events of responses (responses.create)',
      'responses: commented events of responses (responses.create)',
      'responses: labelled events of responses (responses.create)',
      'responses: dense events of responses (responses.create)',
      'responses: open-ended events of responses (responses.create)',
      'responses: split events of responses (responses.create)',
      'responses: calls at once of responses (responses.create)',
      'images: base64 images (images.generate)',
      'messages: CRLF events of messages (messages.create)',
      'messages: CR events of messages (messages.create)',
      'messages: commented events of messages (messages.create)',
      'messages: labelled events of messages (messages.create)',
      'messages: dense events of messages (messages.create)',
      'messages: open-ended events of messages (messages.create)',
      'messages: split events of messages (messages.create)',
      'messages: calls at once of messages (messages.create)',
      'drawing: drawings as text (mj.imagine)',
      'drawing: expired images (mj.image)',
      'drawing: previews that end (mj.image)',
    ]),
  )
})

it('blames clients of streams only for what every parser of events knows: comments, and both line feeds', () => {
  const ids = apis.flatMap(({ exploration }: Api) =>
    (exploration?.variants ?? []).flatMap(({ id, at, isUnread }) =>
      at === 'stream' && !isUnread ? [id] : [],
    ),
  )
  const kinds = new Set(ids.map((id) => id.replace(/ of \w+$/, '')))
  expect([...kinds]).toEqual(['CRLF events', 'commented events'])
})
