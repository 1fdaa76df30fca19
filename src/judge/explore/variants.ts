import { shippedOperations } from '../../apis/index.ts'
import type { Rule } from '../../scenario/vocabulary/types.ts'

/** A gateway that differs from ours in one way, for a whole run. The client must come to the same result. */
export interface Variant {
  readonly id: string
  /** It matters only to clients that use this operation. */
  readonly operation: string
  readonly quirks?: Readonly<Record<string, string>>
  readonly rules?: readonly Rule[]
}

export const variants: readonly Variant[] = [
  { id: 'redirected downloads', operation: 'video.content', quirks: { contentDelivery: 'redirect' } },
  { id: 'upstream statuses', operation: 'video.poll', quirks: { videoStatusStyle: 'upstream' } },
  { id: 'drawings as text', operation: 'mj.imagine', quirks: { drawingContentType: 'text' } },
  {
    id: 'previews that end',
    operation: 'mj.image',
    rules: [
      // Slow enough for a poll to see a preview.
      {
        id: 'fault-slow-drawing',
        optional: true,
        match: {
          op: shippedOperations.submissions.filter((each) => each.startsWith('mj.')),
        },
        task: { queued: '5s', render: '60s' },
      },
      {
        // The link of an unfinished drawing has this parameter.
        id: 'fault-preview',
        optional: true,
        match: { op: 'mj.image', state: 'SUCCESS', query: { rand: { exists: true } } },
        respond: { status: 404 },
      },
    ],
  },
  { id: 'CRLF events', operation: 'text.stream', quirks: { sseNewline: 'crlf' } },
  { id: 'CRLF events of chats', operation: 'chat.complete', quirks: { sseNewline: 'crlf' } },
  { id: 'CRLF events of responses', operation: 'responses.create', quirks: { sseNewline: 'crlf' } },
  { id: 'CRLF events of messages', operation: 'messages.create', quirks: { sseNewline: 'crlf' } },
]
