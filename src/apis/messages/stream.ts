import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextTiming } from '../../text/spec.ts'
import type { BilledAnswer } from '../text/answer.ts'
import type { CallDialect } from '../text/calls/dialect.ts'
import { encodeTexts, namedEvent, streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/delta.ts'
import { begunMessage, deltaUsageOf, endingOf, type Block, type MessageMetadata } from './answer.ts'
import { errorBody, errorType } from '../text/anthropic/refuse.ts'

/**
 * A message as named events: it begins, each of its blocks begins, grows and ends, and it ends. A ping comes after the
 * beginning of the first block.
 *
 * @assumed §4.9 the stream of messages is undocumented; names and order of events are those of the vendor's page on streaming.
 * @param content the blocks of the whole message.
 * @param requestId that of the request, which an error repeats.
 */
export function messageStream(
  billed: BilledAnswer,
  pace: TextTiming,
  metadata: MessageMetadata,
  content: readonly Block[],
  requestId: string,
  calls?: CallDialect,
): PacedBody {
  const { answer } = billed
  const writer = new BlockEvents(content)
  return streamOf(billed, pace, {
    opening: event('message_start', {
      message: begunMessage(metadata, { ...answer.usage, answer: 0, thoughts: 0 }),
    }),
    write: (delta) => (delta.last ? writer.add(delta) + writer.end() : writer.add(delta)),
    closing: () => {
      const delta = { ...endingOf(answer), container: null }
      return event('message_delta', { delta, usage: deltaUsageOf(answer.usage) })
    },
    end: event('message_stop', {}),
    final: 'closing',
    calls,
    error: (status, message) => ({
      text: namedEvent('error', errorBody(errorType(status), message, requestId)),
      breaksOff: false,
    }),
  })
}

function event(type: string, fields: object): string {
  return namedEvent(type, { type, ...fields })
}

/** The events of the blocks of a message, one block after the other. */
class BlockEvents {
  readonly #content: readonly Block[]
  readonly #texts: (text: string) => string
  /** The index of the block that has begun. */
  #current = -1

  constructor(content: readonly Block[]) {
    this.#content = content
    const index = content.findIndex(({ type }) => type === 'text')
    this.#texts = encodeTexts((text) =>
      event('content_block_delta', { index, delta: { type: 'text_delta', text } }),
    )
  }

  /** Adds a piece to the block that it belongs to. */
  add(delta: TextDelta): string {
    const index = this.#indexOf(delta)
    const block = this.#content[index]
    if (!block) return ''
    const events = index === this.#current ? '' : this.end() + this.#begin(index, block)
    if (block.type === 'text') return events + this.#texts(delta.text)
    return events + this.#grow(index, block, delta.text)
  }

  /** Ends the block that has begun. */
  end(): string {
    const index = this.#current
    const block = this.#content[index]
    if (!block) return ''
    this.#current = -1
    const stop = event('content_block_stop', { index })
    if (block.type !== 'thinking') return stop
    const { signature } = block
    return event('content_block_delta', { index, delta: { type: 'signature_delta', signature } }) + stop
  }

  #indexOf(delta: TextDelta): number {
    if (delta.kind === 'call') {
      return this.#content.findIndex(({ type }) => type === 'tool_use') + delta.place
    }
    return this.#content.findIndex(({ type }) => type === (delta.kind === 'thought' ? 'thinking' : 'text'))
  }

  #begin(index: number, block: Block): string {
    this.#current = index
    const begun = event('content_block_start', { index, content_block: emptied(block) })
    return index === 0 ? begun + event('ping', {}) : begun
  }

  #grow(index: number, { type, ...block }: Exclude<Block, { type: 'text' }>, text: string): string {
    if (type === 'tool_use') {
      return event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: text } })
    }
    // Thoughts that are omitted have a signature only.
    if ('thinking' in block && block.thinking === '') return ''
    return event('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: text } })
  }
}

/** A block before its first delta. */
function emptied(block: Block): object {
  if (block.type === 'text') return { ...block, text: '' }
  return block.type === 'thinking' ? { ...block, thinking: '', signature: '' } : { ...block, input: {} }
}
