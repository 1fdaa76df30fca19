import { Refused } from '../jobs/kit/refused.ts'
import { isObject } from '../../engine/is-object.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import { textOf } from '../../text/reading.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { show } from '../text/fields.ts'
import { dataUrls, toImage } from '../text/openai/images.ts'
import { valueOf } from '../text/openai/tools.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import type { ChatMessage, FunctionCall } from './message-form.ts'

type Call = Extract<TurnPart, { type: 'call' }>

/**
 * Checks that the messages right after the calls of tools contain exactly their results.
 * @assumed §4.9 these refusals are undocumented; they are those of the protocol's own service (wire §9.1).
 */
class PendingCalls {
  #pending = new Map<string, Call>()
  #names = new Set<string>()
  #path = ''

  /** Call it before a message is read. */
  begin(role: string, path: string): void {
    if (role !== 'tool') this.end()
    if (role === 'assistant') this.#path = path
  }

  add(calls: readonly Call[]): void {
    for (const call of calls) this.#names.add(call.name)
    this.#pending = new Map(calls.flatMap((call) => (call.id === undefined ? [] : [[call.id, call]])))
  }

  /** @returns the name of the tool whose result the message contains. */
  resolve(id: string, path: string): string {
    const call = this.#pending.get(id)
    if (!call) {
      throw new Refused(
        `${path} answers the call ${show(id)} which no message made: messages with role 'tool' must be a ` +
          `response to a preceding message with 'tool_calls'`,
      )
    }
    this.#pending.delete(id)
    return call.name
  }

  resolveByName(name: string, path: string): void {
    if (this.#names.has(name)) return
    throw new Refused(`${path} answers a call of ${show(name)}, which no message made`)
  }

  /** @throws {Refused} if a call has no result yet. */
  end(): void {
    const [id] = this.#pending.keys()
    if (id === undefined) return
    throw new Refused(
      `${this.#path} has 'tool_calls' and must be followed by tool messages responding to each 'tool_call_id'; ` +
        `${show(id)} has none`,
    )
  }
}

/** A conversation without the instructions to the model. */
interface Conversation {
  readonly system: string | undefined
  readonly turns: readonly Turn[]
}

/**
 * Reads the messages of a chat, oldest first.
 *
 * @assumed §4.9 messages are undocumented; wire §9.1.
 * @throws {Refused} for images that are refused, and for results that don't fit the calls.
 */
export function readMessages(
  messages: readonly ChatMessage[],
  images: ReceivedImages,
  maxMessages: number,
): Conversation {
  if (messages.length > maxMessages) {
    throw new Refused(`messages has ${messages.length} items, at most ${maxMessages} are taken`)
  }
  const calls = new PendingCalls()
  const system: string[] = []
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    calls.begin(message.role, path)
    const parts = toParts(message.content, path, images)
    const turn = toTurn(message, parts, path, calls)
    if (turn) turns.push(turn)
    else system.push(textOf(parts))
  }
  calls.end()
  const instructions = system.join('\n')
  // Instructions alone count as a message of the user.
  if (turns.length === 0)
    return { system: undefined, turns: [{ role: 'user', parts: [{ type: 'text', text: instructions }] }] }
  return { system: instructions || undefined, turns }
}

/** The data URLs of all images in unchecked messages. */
export function imageUrls(messages: JsonValue | undefined): string[] {
  const list = Array.isArray(messages) ? messages : []
  return list.flatMap((message) => (isObject(message) ? dataUrls(message['content']) : []))
}

/** @returns undefined for an instruction to the model. */
function toTurn(
  message: ChatMessage,
  parts: readonly TurnPart[],
  path: string,
  calls: PendingCalls,
): Turn | undefined {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: parts.length > 0 ? parts : [{ type: 'text', text: '' }] }
    case 'assistant': {
      const { tool_calls: ofTools = [], function_call: legacy } = message
      const made = ofTools.map(({ id, function: called }): Call => ({ ...toCall(called), id }))
      if (legacy) made.push(toCall(legacy))
      calls.add(made)
      return { role: 'assistant', parts: [...parts, ...made] }
    }
    case 'tool':
      return toResult(calls.resolve(message.tool_call_id, path), parts, message.tool_call_id)
    case 'function':
      calls.resolveByName(message.name, path)
      return toResult(message.name, parts, message.tool_call_id)
    default:
      return undefined
  }
}

function toResult(name: string, parts: readonly TurnPart[], id: string | undefined): Turn {
  const value = valueOf(textOf(parts))
  return { role: 'tool', parts: [{ type: 'result', name, value, ...(id === undefined ? {} : { id }) }] }
}

/** A text, or parts. */
function toParts(content: ChatMessage['content'], path: string, images: ReceivedImages): TurnPart[] {
  if (!content) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part, index) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'refusal') return { type: 'text', text: part.refusal }
    if (part.type === 'image_url') {
      const { image_url: image } = part
      const url = typeof image === 'string' ? image : image.url
      return toImage(url, `${path}.content[${index}].image_url.url`, images)
    }
    return { type: 'other', mimeType: part.type === 'file' ? 'application/octet-stream' : 'audio/wav' }
  })
}

function toCall({ name, arguments: args = {} }: FunctionCall): Call {
  return { type: 'call', name, args }
}
