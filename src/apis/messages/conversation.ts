import { Refused } from '../jobs/kit/refused.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { emptyContent, type GivenBlock, type PlainBlock } from './content-form.ts'
import type { MessageBody } from './form.ts'
import { isObject } from '../../engine/is-object.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import { textOf } from '../../text/reading.ts'
import { valueOf } from '../text/openai/tools.ts'
import { checkSignature } from './answer.ts'

/** How a request is read. */
export interface ReadingOptions {
  readonly messageLimit: number
}

interface Conversation {
  /** Instructions among the messages. */
  readonly system: readonly string[]
  readonly turns: readonly Turn[]
}

/**
 * Reads a conversation, oldest message first.
 *
 * @assumed §4.9 the order of messages is undocumented; messages and refusals are those of the vendor's own service.
 * @throws {Refused} for empty messages, and for uses of tools that don't fit their results.
 */
export function readConversation(
  messages: MessageBody['messages'],
  images: ReceivedImages,
  { messageLimit }: ReadingOptions,
): Conversation {
  if (messages.length > messageLimit) {
    throw new Refused(`messages: has ${messages.length} items, at most ${messageLimit} are taken`)
  }
  const uses = new PendingUses()
  const system: string[] = []
  const turns: Turn[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') {
      system.push(...textsOf(content))
      continue
    }
    const path = `messages.${index}`
    const isLast = index === messages.length - 1
    if (content.length === 0 && !(isLast && role === 'assistant')) {
      throw new Refused(`${path}: ${emptyContent}`)
    }
    const { parts, calls, results } = readContent(content, `${path}.content`, { role, images })
    uses.begin(role, path, calls)
    const answered = results.map((result) => uses.resolve(result))
    // Results are a turn of their own, before what the user says.
    if (answered.length > 0) turns.push({ role: 'tool', parts: answered })
    if (role === 'assistant' || parts.length > 0) turns.push({ role, parts: [...parts, ...calls] })
  }
  uses.end()
  if (turns.length > 0) return { system, turns }
  // Instructions alone are answered as if the user had written them.
  return { system: [], turns: [{ role: 'user', parts: [{ type: 'text', text: system.join('\n') }] }] }
}

type Call = TurnPart & { type: 'call' }

/** Checks that the next message has a result for each use of a tool, and no other ones. Messages in a row of a role are one. */
class PendingUses {
  readonly #pending = new Map<string, Call>()
  #role = ''
  #path = ''

  /** To be called with each message before its results. */
  begin(role: 'user' | 'assistant', path: string, calls: readonly Call[]): void {
    if (role === 'assistant' && this.#role === 'user') this.end()
    this.#role = role
    if (this.#pending.size === 0) this.#path = path
    for (const call of calls) this.#pending.set(call.id!, call)
  }

  /** @returns the result with the name of its tool. */
  resolve({ id, value, path }: ToolResult): TurnPart {
    const call = this.#pending.get(id)
    if (!call) {
      throw new Refused(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must ` +
          'have a corresponding `tool_use` block in the previous message.',
      )
    }
    this.#pending.delete(id)
    return { type: 'result', name: call.name, value, id }
  }

  /** @throws {Refused} if a use of a tool has no result yet. */
  end(): void {
    if (this.#pending.size === 0) return
    throw new Refused(
      `${this.#path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${[...this.#pending.keys()].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` ` +
        'block in the next message.',
    )
  }
}

/** The blocks of a message, by what they mean to the conversation. */
interface Content {
  readonly parts: readonly TurnPart[]
  readonly calls: readonly (TurnPart & { type: 'call' })[]
  readonly results: readonly ToolResult[]
}

/** The result of a tool, before the call that it belongs to is known. */
interface ToolResult {
  readonly id: string
  readonly value: unknown
  readonly path: string
}

type TextOr<Block> = string | readonly Block[]

/** How a message is read. */
interface MessageContext {
  readonly role: 'user' | 'assistant'
  readonly images: ReceivedImages
}

/**
 * Reads the content of a message.
 *
 * @assumed §4.9 the content of messages is undocumented; the blocks and their refusals are those of the vendor's own service.
 * @param path the place of the content.
 * @throws {Refused}
 */
function readContent(content: TextOr<GivenBlock>, path: string, context: MessageContext): Content {
  const { images } = context
  const found: { [Name in keyof Content]: Content[Name][number][] } = { parts: [], calls: [], results: [] }
  for (const [index, block] of blocksOf(content).entries()) {
    const place = `${path}.${index}`
    if (block.type === 'tool_use') {
      checkRole('assistant', block, place, context)
      found.calls.push({ type: 'call', name: block.name, args: block.input, id: block.id })
    } else if (block.type === 'tool_result') {
      checkRole('user', block, place, context)
      const parts = readParts(block.content ?? '', `${place}.content`, images)
      found.results.push({ id: block.tool_use_id, value: valueOf(textOf(parts)), path: place })
      found.parts.push(...parts.filter((part) => part.type !== 'text'))
    } else found.parts.push(...readPart(block, place, images))
  }
  return found
}

/** The blocks of a content; a text is a block of its own. An empty text makes no block. */
function blocksOf<Block>(
  content: TextOr<Block>,
): readonly (Block | { type: 'text'; text: string; citations?: undefined })[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

/** The texts of a content that has nothing else, such as instructions. */
export function textsOf(content: TextOr<{ readonly text: string }>): string[] {
  return blocksOf(content).map(({ text }) => text)
}

/** The base64 texts of all images in messages that are not checked yet. */
export function imageTexts(messages: JsonValue | undefined): string[] {
  const texts: string[] = []
  const visit = (blocks: JsonValue | undefined): void => {
    for (const block of Array.isArray(blocks) ? blocks : []) {
      if (!isObject(block)) continue
      const { type, source, content } = block
      if (isObject(source) && type === 'image' && typeof source['data'] === 'string')
        texts.push(source['data'])
      visit(content)
      if (isObject(source)) visit(source['content'])
    }
  }
  visit(messages)
  return texts
}

function checkRole(role: string, { type }: GivenBlock, path: string, context: MessageContext): void {
  if (role !== context.role)
    throw new Refused(`${path}: \`${type}\` blocks can only be in \`${role}\` messages`)
}

function readParts(content: TextOr<PlainBlock>, path: string, images: ReceivedImages): TurnPart[] {
  return blocksOf(content).flatMap((block, index) => readPart(block, `${path}.${index}`, images))
}

/** What a block adds to the conversation; nothing for thoughts and for blocks of the vendor's own tools. */
function readPart(block: PlainBlock, path: string, images: ReceivedImages): TurnPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
      return [readImage(block.source, `${path}.source`, images)]
    case 'document':
      return readDocument(block.source, `${path}.source`, images)
    case 'search_result':
      return [{ type: 'text', text: [block.title, ...textsOf(block.content)].join('\n') }]
    case 'thinking':
      // Thoughts come back as they were: the service refuses those that were changed.
      if (checkSignature(block.thinking, block.signature)) return []
      throw new Refused(`${path}: Invalid \`signature\` in \`thinking\` block`)
    default:
      return []
  }
}

function readImage(
  source: Extract<PlainBlock, { type: 'image' }>['source'],
  path: string,
  images: ReceivedImages,
): TurnPart {
  if (source.type !== 'base64') return { type: 'image', mimeType: 'image/*' }
  const image = images.get(source.data)
  if (image === undefined || typeof image === 'string') {
    throw new Refused(`${path}.data: ${image ?? 'is not an image'}`)
  }
  const { digest, width, height } = image
  return { type: 'image', mimeType: source.media_type, digest, width, height }
}

/** A document of text is read; any other counts as one tile. */
function readDocument(
  source: Extract<PlainBlock, { type: 'document' }>['source'],
  path: string,
  images: ReceivedImages,
): TurnPart[] {
  if (source.type === 'text') return [{ type: 'text', text: source.data }]
  if (source.type === 'content') return readParts(source.content, `${path}.content`, images)
  return [{ type: 'other', mimeType: source.media_type ?? 'application/pdf' }]
}
