import { parseObject, type JsonObject, type JsonValue } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { readImage, textOf, valueOf } from '../chat/messages.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'

export const roles = ['user', 'assistant', 'system', 'developer'] as const

export const textTypes = ['input_text', 'output_text', 'text', 'refusal'] as const

/** Items of the service's own tools, and of reasoning. Clients return them with the conversation, and they are ignored. */
export const ignored =
  /^(?:reasoning|compaction|program|additional_tools|\w+_(?:call|call_output|search_output|list_tools|approval_request|approval_response|trigger))$/

/** The conversation before the items of a request. */
export interface Context {
  /** The turns before these items. */
  readonly history: readonly Turn[]
  readonly images: ReceivedImages
  /** Returns an item of a stored response. @throws {GatewayError} */
  readonly itemOf: (id: string) => JsonObject
}

interface ReadItems {
  /** Instructions among the items. */
  readonly system: readonly string[]
  /** The turns, without those of the history. */
  readonly turns: readonly Turn[]
  /** The items. References are replaced by the items that they name. */
  readonly items: readonly JsonObject[]
}

/**
 * Reads the input of a response, oldest item first.
 *
 * @assumed §4.9 this protocol is undocumented; items and refusals are those of the protocol's own service.
 * @throws {RequestRefused} for unknown roles and items, for calls without outputs, and for outputs without calls.
 */
export function readItems(input: JsonValue | undefined, maxItems: number, context: Context): ReadItems {
  if (input === undefined) throw new RequestRefused('input is required', 'gateway')
  const given: JsonValue = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(given)) {
    throw new RequestRefused(`input must be a string or an array of items, not ${show(input)}`)
  }
  if (given.length + context.history.length > maxItems) {
    const count = given.length + context.history.length
    throw new RequestRefused(`the conversation has ${count} items, at most ${maxItems} are taken`)
  }
  const names = new Map<string, string>()
  const pending = new Set<string>()
  for (const { parts } of context.history) for (const part of parts) noteCall(part, names, pending)
  const system: string[] = []
  const turns: Turn[] = []
  const items = given.map((each, index): JsonObject => {
    const reference = isObject(each) && each['type'] === 'item_reference' ? each['id'] : undefined
    const item = new Fields(
      typeof reference === 'string' ? (context.itemOf(reference) as JsonValue) : each,
      `input[${index}]`,
    )
    const turn = readItem(item, names, context.images)
    if (typeof turn === 'string') system.push(turn)
    else if (turn) {
      for (const part of turn.parts) noteCall(part, names, pending)
      addTurn(turns, turn)
    }
    return item.object
  })
  const [open] = pending
  if (open !== undefined) throw new RequestRefused(`No tool output found for function call ${open}.`)
  return { system, turns, items }
}

/** @returns the text of an instruction, a turn, or undefined for an ignored item. */
function readItem(
  item: Fields,
  names: ReadonlyMap<string, string>,
  images: ReceivedImages,
): Turn | string | undefined {
  const type = item.text('type') ?? 'message'
  if (type === 'message') {
    const role = item.oneOf('role', roles)
    if (!role) throw new RequestRefused(`${item.at('role')} is required: one of ${roles.join(', ')}`)
    const parts = readContent(item, 'content', images)
    return role === 'user' || role === 'assistant' ? { role, parts } : textOf(parts)
  }
  if (type === 'function_call') {
    const args = parseObject(item.text('arguments') || '{}')
    if (!args) throw new RequestRefused(`${item.at('arguments')} must be a JSON object, written as a string`)
    const part = { type: 'call', name: required(item, 'name'), args, id: required(item, 'call_id') } as const
    return { role: 'assistant', parts: [part] }
  }
  if (type === 'function_call_output') {
    const id = required(item, 'call_id')
    const name = names.get(id)
    if (name === undefined) {
      throw new RequestRefused(`No tool call found for function call output with call_id ${id}.`)
    }
    const value = valueOf(textOf(readContent(item, 'output', images)))
    return { role: 'tool', parts: [{ type: 'result', name, value, id }] }
  }
  if (ignored.test(type)) return undefined
  throw new RequestRefused(
    `${item.at('type')} is ${show(type)}: use message, function_call, function_call_output or item_reference`,
  )
}

/** A text, or parts. */
function readContent(item: Fields, field: string, images: ReceivedImages): TurnPart[] {
  const content = item.get(field)
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    throw new RequestRefused(`${item.at(field)} must be a string or an array of parts, not ${show(content)}`)
  }
  return content.map((each, index) => {
    const part = new Fields(each, `${item.at(field)}[${index}]`)
    const type = required(part, 'type')
    if ((textTypes as readonly string[]).includes(type)) {
      const text = part.text(type === 'refusal' ? type : 'text')
      if (text === undefined) throw new RequestRefused(`${part.at('text')} is required`)
      return { type: 'text', text }
    }
    if (type === 'input_image') {
      // An uploaded image, or one of an earlier response, which is not stored.
      return part.get('image_url') === undefined
        ? { type: 'image', mimeType: 'image/*' }
        : readImage(part, images)
    }
    if (type === 'input_file') return { type: 'other', mimeType: 'application/octet-stream' }
    if (type === 'input_audio') return { type: 'other', mimeType: 'audio/wav' }
    throw new RequestRefused(
      `${part.at('type')} is ${show(type)}: use input_text, output_text, input_image, input_file or input_audio`,
    )
  })
}

function required(fields: Fields, name: string): string {
  const text = fields.text(name)
  if (text) return text
  throw new RequestRefused(`${fields.at(name)} is required`)
}

function noteCall(part: TurnPart, names: Map<string, string>, pending: Set<string>): void {
  if (part.type === 'call' && part.id !== undefined) {
    names.set(part.id, part.name)
    pending.add(part.id)
  } else if (part.type === 'result' && part.id !== undefined) pending.delete(part.id)
}

/** Adds a turn. A text of the model and the calls after it become one turn, as in a chat. */
function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant' || turn.role !== 'assistant') turns.push(turn)
  else turns[turns.length - 1] = { role: 'assistant', parts: [...last.parts, ...turn.parts] }
}
