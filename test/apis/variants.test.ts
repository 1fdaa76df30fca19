import { expect, it } from 'vitest'
import { apis } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'

it('has these gateways to explore, by API, which need no option', () => {
  const variants = apis.flatMap(({ name, exploration }: Api) =>
    (exploration?.variants ?? []).map(({ id, operation, needs }) => [name, id, operation, needs]),
  )
  expect(variants).toEqual([
    ['video', 'upstream statuses', 'video.poll', undefined],
    ['video', 'redirected downloads', 'video.content', undefined],
    ['video', 'expired videos', 'video.content', undefined],
    ['native-text', 'CRLF events', 'text.stream', undefined],
    ['chat', 'CRLF events of chats', 'chat.complete', undefined],
    ['responses', 'CRLF events of responses', 'responses.create', undefined],
    ['messages', 'CRLF events of messages', 'messages.create', undefined],
    ['drawing', 'drawings as text', 'mj.imagine', undefined],
    ['drawing', 'expired images', 'mj.image', undefined],
    ['drawing', 'previews that end', 'mj.image', undefined],
  ])
})
