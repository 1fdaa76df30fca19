import { type JsonValue, parseObject } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { maxTools } from './tools.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'

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
  resolve(message: Fields): string {
    const id = message.text('tool_call_id')
    if (!id) throw new RequestRefused(`${message.at('tool_call_id')} is required`)
    const call = this.#pending.get(id)
    if (!call) {
      throw new RequestRefused(
        `${message.path} answers the call ${show(id)} which no message made: messages with role 'tool' must be a ` +
          `response to a preceding message with 'tool_calls'`,
      )
    }
    this.#pending.delete(id)
    return call.name
  }

  resolveByName(name: string, path: string): void {
    if (this.#names.has(name)) return
    throw new RequestRefused(`${path} answers a call of ${show(name)}, which no message made`)
  }

  /** @throws {RequestRefused} if a call has no result yet. */
  end(): void {
    const [id] = this.#pending.keys()
    if (id === undefined) return
    throw new RequestRefused(
      `${this.#path} has 'tool_calls' and must be followed by tool messages responding to each 'tool_call_id'; ` +
        `${show(id)} has none`,
    )
  }
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const partTypes = ['text', 'refusal', 'image_url', 'input_audio', 'file'] as const

/** A conversation without the instructions to the model. */
export interface Conversation {
  readonly system: string | undefined
  readonly turns: readonly Turn[]
}

/**
 * Reads the messages of a chat, oldest first.
 *
 * @assumed §4.9 messages are undocumented; wire §9.1.
 * @throws {RequestRefused} if there are no messages, for unknown roles and parts, and for results that don't fit the calls.
 */
export function readMessages(
  value: JsonValue | undefined,
  images: ReceivedImages,
  maxMessages: number,
): Conversation {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    throw new RequestRefused('field messages is required', 'gateway')
  }
  if (!Array.isArray(value)) throw new RequestRefused(`messages must be an array, not ${show(value)}`)
  if (value.length > maxMessages) {
    throw new RequestRefused(`messages has ${value.length} items, at most ${maxMessages} are taken`)
  }
  const calls = new PendingCalls()
  const system: string[] = []
  const turns: Turn[] = []
  for (const [index, each] of value.entries()) {
    const message = new Fields(each, `messages[${index}]`)
    const role = message.oneOf('role', roles)
    if (!role) throw new RequestRefused(`${message.at('role')} is required: one of ${roles.join(', ')}`)
    calls.begin(role, message.path)
    if (role === 'system' || role === 'developer') system.push(textOf(readContent(message, images)))
    else turns.push(readTurn(message, role, images, calls))
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

/** The data URLs of all images in the parts of a content. */
export function dataUrls(content: JsonValue | undefined): string[] {
  const urls: string[] = []
  for (const part of Array.isArray(content) ? content : []) {
    const url = isObject(part) ? urlOf(part['image_url']) : undefined
    if (url !== undefined && /^data:/i.test(url)) urls.push(url)
  }
  return urls
}

function readTurn(
  message: Fields,
  role: 'user' | 'assistant' | 'tool' | 'function',
  images: ReceivedImages,
  calls: PendingCalls,
): Turn {
  if (role === 'user') {
    const parts = readContent(message, images)
    if (parts.length > 0) return { role, parts }
    if (message.get('content') !== '') throw new RequestRefused(`${message.at('content')} must not be empty`)
    return { role, parts: [{ type: 'text', text: '' }] }
  }
  if (role === 'assistant') {
    const made = readCalls(message)
    calls.add(made)
    return { role, parts: [...readContent(message, images), ...made] }
  }
  const value = valueOf(textOf(readContent(message, images)))
  const name = role === 'tool' ? calls.resolve(message) : (message.text('name') ?? '')
  if (role === 'function') calls.resolveByName(name, message.path)
  const id = message.text('tool_call_id')
  return { role: 'tool', parts: [{ type: 'result', name, value, ...(id === undefined ? {} : { id }) }] }
}

/** A text, or parts. */
function readContent(message: Fields, images: ReceivedImages): TurnPart[] {
  const content = message.get('content')
  if (content === undefined) return []
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    throw new RequestRefused(
      `${message.at('content')} must be a string or an array of parts, not ${show(content)}`,
    )
  }
  return content.map((each, index) => {
    const part = new Fields(each, `${message.at('content')}[${index}]`)
    const type = part.oneOf('type', partTypes)
    if (!type) throw new RequestRefused(`${part.at('type')} is required: one of ${partTypes.join(', ')}`)
    if (type === 'text' || type === 'refusal') {
      const text = part.text(type)
      if (text === undefined) throw new RequestRefused(`${part.at(type)} is required`)
      return { type: 'text', text }
    }
    if (type === 'image_url') return readImage(part, images)
    return { type: 'other', mimeType: type === 'file' ? 'application/octet-stream' : 'audio/wav' }
  })
}

/** Reads an image. Its URL is not fetched; it counts like any other image. */
export function readImage(part: Fields, images: ReceivedImages): TurnPart {
  const url = urlOf(part.get('image_url'))
  if (url === undefined) throw new RequestRefused(`${part.at('image_url')} must be {"url": …}`)
  const image = images.get(url)
  if (typeof image === 'string') throw new RequestRefused(`${part.at('image_url')}.url ${image}`)
  if (image) {
    const mimeType = /^data:([^;,]+)/i.exec(url)?.[1] ?? 'image/png'
    return { type: 'image', mimeType, digest: image.digest, width: image.width, height: image.height }
  }
  if (!/^https?:\/\/\S+$/i.test(url)) {
    throw new RequestRefused(`${part.at('image_url')}.url must be an http(s) URL or a data URL`)
  }
  return { type: 'image', mimeType: 'image/*' }
}

function readCalls(message: Fields): Call[] {
  const given = message.list('tool_calls', maxTools) ?? []
  const legacy = message.within('function_call')
  const calls = given.map((each, index) => {
    const call = new Fields(each, `${message.at('tool_calls')}[${index}]`)
    const id = call.text('id')
    const called = call.within('function')
    if (!id || !called) throw new RequestRefused(`${call.path} needs an id and a function`)
    return { ...readCall(called), id }
  })
  return legacy ? [...calls, readCall(legacy)] : calls
}

function readCall(called: Fields): Call {
  const name = called.text('name')
  if (!name) throw new RequestRefused(`${called.at('name')} must not be empty`)
  const args = parseObject(called.text('arguments') || '{}')
  if (!args) throw new RequestRefused(`${called.at('arguments')} must be a JSON object, written as a string`)
  return { type: 'call', name, args }
}

export function textOf(parts: readonly TurnPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The result of a tool: an object if its text is one, otherwise the text. */
export function valueOf(text: string): unknown {
  return parseObject(text) ?? text
}

function urlOf(value: JsonValue | undefined): string | undefined {
  const url = isObject(value) ? value['url'] : value
  return typeof url === 'string' ? url : undefined
}
