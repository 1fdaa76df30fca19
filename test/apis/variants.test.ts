import { expect, it } from 'vitest'
import { apis } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'
import { callDialects } from '../../src/apis/text/calls/lists.ts'
import { eventDialects } from '../../src/apis/text/events/lists.ts'
import { servedRows } from '../support/needs.ts'

/** The gateways whose streams differ: each dialect is a file, and every API of texts has those of events. */
function streamsOf(api: string, operation: string, of: string, calls: readonly string[] = []): string[] {
  const titles = ['CRLF events', 'CR events', ...eventDialects.map(({ title }) => title), ...calls]
  return titles.map((title) => `${api}: ${title}${of} (${operation})`)
}

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
      ...streamsOf('native-text', 'text.stream', ''),
      'chat: no usage of chats (chat.complete)',
      ...streamsOf(
        'chat',
        'chat.complete',
        ' of chats',
        callDialects.map(({ title }) => title),
      ),
      'responses: no usage of responses (responses.create)',
      ...streamsOf('responses', 'responses.create', ' of responses', ['calls at once']),
      'images: base64 images (images.generate)',
      ...streamsOf('messages', 'messages.create', ' of messages', ['calls at once']),
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
