import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextTiming } from '../../text/spec.ts'
import { logprobsOf, upstreamWords } from '../text/openai/words.ts'
import { dealTokens } from '../text/openai/words.ts'
import type { BilledAnswer } from '../text/answer.ts'
import type { CallDialect } from '../text/calls/dialect.ts'
import { namedEvent, streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/delta.ts'
import type { OutputItem } from './output.ts'

/**
 * A response as events: its start, then the start, growth and end of each item, then its end. Events are numbered from 0.
 *
 * @assumed §4.9 the stream of a response is undocumented; names and order of events are those of the protocol's own service.
 * @param begun the response before its first item. @param ended the complete response.
 */
export function responseStream(
  billed: BilledAnswer,
  pace: TextTiming,
  output: readonly OutputItem[],
  begun: JsonObject,
  ended: JsonObject,
  calls?: CallDialect,
): PacedBody {
  const candidate = billed.answer.candidates[0]
  const deal = dealTokens(candidate)
  const callsBegin = output.findIndex(({ type }) => type === 'function_call')
  let number = 0
  const event = (type: string, fields: object): string =>
    namedEvent(type, { type, ...fields, sequence_number: number++ })
  const writer = new ItemEvents(output, event)
  const indexOf = (delta: TextDelta): number => {
    if (delta.kind === 'call') return callsBegin + delta.place
    return output.findIndex(({ type }) => type === (delta.kind === 'thought' ? 'reasoning' : 'message'))
  }
  return streamOf(billed, pace, {
    opening:
      event('response.created', { response: begun }) + event('response.in_progress', { response: begun }),
    write: (delta) => {
      const logprobs =
        delta.kind === 'text' && candidate?.logprobs ? logprobsOf(deal(delta.text)).content : []
      const events = writer.add(indexOf(delta), delta.text, logprobs)
      return delta.last ? events + writer.end() : events
    },
    closing: () => event(`response.${String(ended['status'])}`, { response: ended }),
    end: '',
    final: 'closing',
    calls,
    error: (status, message) => {
      const { type, code } = upstreamWords(status)
      const error = { code: typeof code === 'string' ? code : type, message }
      const failed = { ...begun, status: 'failed', error }
      return { text: event('response.failed', { response: failed }), breaksOff: false }
    },
  })
}

/** The events of the items of a response, one item after the other. */
class ItemEvents {
  readonly #output: readonly OutputItem[]
  readonly #event: (type: string, fields: object) => string
  /** The index of the current item. */
  #current = -1

  constructor(output: readonly OutputItem[], event: (type: string, fields: object) => string) {
    this.#output = output
    this.#event = event
  }

  /** Adds a piece of text, or of arguments, to an item. */
  add(index: number, delta: string, logprobs: readonly unknown[]): string {
    const item = this.#output[index]
    if (!item) return ''
    const events = index === this.#current ? '' : this.end() + this.#begin(index, item)
    return delta === '' ? events : events + this.#grow(index, item, delta, logprobs)
  }

  #grow(index: number, item: OutputItem, delta: string, logprobs: readonly unknown[]): string {
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'function_call')
      return this.#event('response.function_call_arguments.delta', { ...at, delta })
    if (item.type === 'message' && item.content[0]!.type === 'refusal')
      return this.#event('response.refusal.delta', { ...at, content_index: 0, delta })
    if (item.type === 'message')
      return this.#event('response.output_text.delta', { ...at, content_index: 0, delta, logprobs })
    if (item.summary.length === 0) return ''
    return this.#event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta })
  }

  #begin(index: number, item: OutputItem): string {
    this.#current = index
    const added = this.#event('response.output_item.added', { output_index: index, item: emptied(item) })
    const at = { item_id: item.id, output_index: index }
    if (item.type === 'message') {
      const whole = item.content[0]!
      const part = whole.type === 'refusal' ? { ...whole, refusal: '' } : { ...whole, logprobs: [], text: '' }
      return added + this.#event('response.content_part.added', { ...at, content_index: 0, part })
    }
    if (item.type !== 'reasoning' || item.summary.length === 0) return added
    const part = { type: 'summary_text', text: '' }
    return added + this.#event('response.reasoning_summary_part.added', { ...at, summary_index: 0, part })
  }

  /** Ends the current item. */
  end(): string {
    const index = this.#current
    const item = this.#output[index]
    if (!item) return ''
    this.#current = -1
    const events = this.#endContent(item, { item_id: item.id, output_index: index })
    return events + this.#event('response.output_item.done', { output_index: index, item })
  }

  #endContent(item: OutputItem, at: object): string {
    if (item.type === 'function_call') {
      const { name, arguments: args } = item
      return this.#event('response.function_call_arguments.done', { ...at, name, arguments: args })
    }
    if (item.type === 'message') {
      const part = item.content[0]!
      const place = { ...at, content_index: 0 }
      if (part.type === 'refusal') {
        const { refusal } = part
        return (
          this.#event('response.refusal.done', { ...place, refusal }) +
          this.#event('response.content_part.done', { ...place, part })
        )
      }
      const { text, logprobs } = part
      return (
        this.#event('response.output_text.done', { ...place, text, logprobs }) +
        this.#event('response.content_part.done', { ...place, part })
      )
    }
    const part = item.summary[0]
    if (!part) return ''
    const place = { ...at, summary_index: 0 }
    return (
      this.#event('response.reasoning_summary_text.done', { ...place, text: part.text }) +
      this.#event('response.reasoning_summary_part.done', { ...place, part })
    )
  }
}

/** An item before its first delta. */
function emptied(item: OutputItem): object {
  if (item.type === 'reasoning') return { ...item, summary: [] }
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  return { ...item, status: 'in_progress', arguments: '' }
}
