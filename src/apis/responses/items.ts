import { Refused } from '../jobs/kit/refused.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { textOf } from '../../text/reading.ts'
import { toImage } from '../text/openai/images.ts'
import { valueOf } from '../text/openai/tools.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import type { ResponseBody } from './form.ts'
import { itemForm, type GivenItem, type ItemContent } from './item-form.ts'

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
 * @assumed §4.9 input items of responses are undocumented; items and refusals are those of the protocol's own service.
 * @param raw the input as the client wrote it.
 * @throws {Refused} for calls without outputs, and for outputs without calls.
 */
export function readItems(
  input: ResponseBody['input'],
  raw: JsonValue | undefined,
  maxItems: number,
  context: Context,
): ReadItems {
  const given: readonly GivenItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const count = given.length + context.history.length
  if (count > maxItems) {
    throw new Refused(`the conversation has ${count} items, at most ${maxItems} are taken`)
  }
  const names = new Map<string, string>()
  const pending = new Set<string>()
  for (const { parts } of context.history) for (const part of parts) noteCall(part, names, pending)
  const system: string[] = []
  const turns: Turn[] = []
  const items = (Array.isArray(raw) ? raw : given) as JsonObject[]
  const resolved = given.map((each, index): JsonObject => {
    const stored = each.type === 'item_reference' ? context.itemOf(each.id) : undefined
    const item = stored ? itemForm.read(stored) : each
    const turn = readItem(item, `input[${index}]`, names, context.images)
    if (typeof turn === 'string') system.push(turn)
    else if (turn) {
      for (const part of turn.parts) noteCall(part, names, pending)
      addTurn(turns, turn)
    }
    return stored ?? items[index]!
  })
  const [open] = pending
  if (open !== undefined) throw new Refused(`No tool output found for function call ${open}.`)
  return { system, turns, items: resolved }
}

/** @returns the text of an instruction, a turn, or undefined for an ignored item. */
function readItem(
  item: GivenItem,
  path: string,
  names: ReadonlyMap<string, string>,
  images: ReceivedImages,
): Turn | string | undefined {
  switch (item.type) {
    case undefined:
    case 'message': {
      const parts = readContent(item.content, `${path}.content`, images)
      const { role } = item
      return role === 'user' || role === 'assistant' ? { role, parts } : textOf(parts)
    }
    case 'function_call': {
      const { name, arguments: args = {}, call_id: id } = item
      return { role: 'assistant', parts: [{ type: 'call', name, args, id }] }
    }
    case 'function_call_output': {
      const id = item.call_id
      const name = names.get(id)
      if (name === undefined) {
        throw new Refused(`No tool call found for function call output with call_id ${id}.`)
      }
      const value = valueOf(textOf(readContent(item.output, `${path}.output`, images)))
      return { role: 'tool', parts: [{ type: 'result', name, value, id }] }
    }
    default:
      return undefined
  }
}

/** A text, or parts. */
function readContent(content: ItemContent, path: string, images: ReceivedImages): TurnPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part, index) => {
    switch (part.type) {
      case 'refusal':
        return { type: 'text', text: part.refusal }
      case 'input_image': {
        const { image_url: image } = part
        if (image === undefined) return { type: 'image', mimeType: 'image/*' }
        const url = typeof image === 'string' ? image : image.url
        return toImage(url, `${path}[${index}].image_url.url`, images)
      }
      case 'input_file':
        return { type: 'other', mimeType: 'application/octet-stream' }
      case 'input_audio':
        return { type: 'other', mimeType: 'audio/wav' }
      default:
        return { type: 'text', text: part.text }
    }
  })
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
