import type { Variant } from '../define/exploration.ts'
import { callDialects } from './calls/lists.ts'
import { eventDialects } from './events/lists.ts'

/** The APIs whose last event matters: some parsers wait for a line feed after the last CR. */
const endsWithNews = ['chat', 'native-text', 'messages', 'responses']

const lineEndings = [
  ['CRLF events', 'crlf', []],
  ['CR events', 'cr', endsWithNews],
] as const

/**
 * The gateways whose streams differ from ours.
 * @param of what the streams contain, such as ` of chats`.
 */
export function streamVariants(api: string, operation: string, of: string): readonly Variant[] {
  const usage: Variant = {
    id: `no usage${of}`,
    operation,
    advice: 'A gateway may leave out the usage: take the number of tokens for unknown.',
    hasOwnResult: true,
    quirks: { usageByDefault: 'never' },
  }
  return [
    ...(api === 'messages' ? [] : [usage]),
    ...lineEndings.map(([title, value, unreadBy]): Variant => {
      const isUnread = unreadBy.some((name) => name === api)
      const advice = `Lines of a stream may end in ${value.toUpperCase()}: read it with a parser of server-sent events.`
      return { id: title + of, operation, at: 'stream', advice, isUnread, quirks: { sseNewline: value } }
    }),
    ...eventDialects.map(({ name, title, advice, unreadBy = [] }): Variant => {
      const isUnread = unreadBy.includes(api)
      return { id: title + of, operation, at: 'stream', advice, isUnread, quirks: { sseLines: name } }
    }),
    ...callDialects
      .filter(({ apis }) => apis.includes(api))
      .map(({ name, title, advice, isUnread = false }): Variant => {
        return { id: title + of, operation, at: 'calls', advice, isUnread, quirks: { toolCallDeltas: name } }
      }),
  ]
}
