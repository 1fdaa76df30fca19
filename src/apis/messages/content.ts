import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { TurnPart } from '../../text/spec.ts'
import { valueOf } from '../chat/messages.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { checkSignature } from './signature.ts'

export const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/** Blocks of the vendor's own tools and containers. Clients send them back with the conversation, where they are ignored. */
export const ignoredBlock =
  /^(?:server_tool_use|mcp_tool_use|container_upload|compaction|fallback|\w+_tool_result|tool_reference|browser_state)$/

/** The blocks of a message, by what they mean to the conversation. */
export interface Content {
  readonly parts: readonly TurnPart[]
  readonly calls: readonly (TurnPart & { type: 'call' })[]
  readonly results: readonly ToolResult[]
}

/** The result of a tool, before the call that it belongs to is known. */
export interface ToolResult {
  readonly id: string
  readonly value: unknown
  readonly path: string
}

/**
 * Reads the content of a message: a text, or blocks.
 *
 * @assumed §4.9 this protocol is undocumented; the blocks and their refusals are those of the vendor's own service.
 * @param isStrict whether the version of the request refuses documents of the assistant and citations of the user.
 * @throws {RequestRefused}
 */
export function readContent(
  message: Fields,
  role: 'user' | 'assistant',
  images: ReceivedImages,
  isStrict: boolean,
): Content {
  const content: { [Name in keyof Content]: Content[Name][number][] } = { parts: [], calls: [], results: [] }
  for (const block of blocksOf(message, 'content')) {
    const type = required(block, 'type')
    if (isStrict) checkStrictly(block, role, type)
    if (type === 'tool_use') {
      onlyIn('assistant', role, block, type)
      content.calls.push(readCall(block))
    } else if (type === 'tool_result') {
      onlyIn('user', role, block, type)
      const parts = block.get('content') === undefined ? [] : blocksOf(block, 'content').flatMap((inner) => readPart(inner, images)) // prettier-ignore
      const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
      content.results.push({ id: required(block, 'tool_use_id'), value: valueOf(text), path: block.path })
      content.parts.push(...parts.filter((part) => part.type !== 'text'))
    } else content.parts.push(...readPart(block, images))
  }
  return content
}

/** The blocks of a field; a text is a block of its own. An empty text is none. */
export function blocksOf(holder: Fields, field: string): Fields[] {
  const value = holder.get(field)
  if (value === undefined) throw new RequestRefused(`${holder.at(field)}: Field required`)
  if (typeof value === 'string')
    return value === '' ? [] : [new Fields({ type: 'text', text: value }, holder.at(field))]
  if (!Array.isArray(value)) {
    throw new RequestRefused(
      `${holder.at(field)}: Input should be a string or an array of blocks, not ${show(value)}`,
    )
  }
  return value.map((each, index) => new Fields(each, `${holder.at(field)}.${index}`))
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

/** The texts of a field that has nothing else, such as instructions. */
export function readTexts(holder: Fields, field: string): string[] {
  return blocksOf(holder, field).map((block) => {
    const type = block.text('type')
    if (type === 'text') return readText(block)
    throw new RequestRefused(`${block.at('type')}: Input should be 'text', not ${show(type)}`)
  })
}

/** The text of a block of type `text`. @throws {RequestRefused} for an empty one. */
function readText(block: Fields): string {
  const text = block.text('text')
  if (text === undefined) throw new RequestRefused(`${block.at('text')}: Field required`)
  if (text === '') throw new RequestRefused(`${block.path}: text content blocks must be non-empty`)
  return text
}

/** A text that is there and not empty. */
export function required(fields: Fields, name: string): string {
  const text = fields.text(name)
  if (text) return text
  throw new RequestRefused(`${fields.at(name)}: Field required`)
}

/** @assumed §4.9 what a version refuses is undocumented; the vendor's page on the version 2026-10-21. */
function checkStrictly(block: Fields, role: string, type: string): void {
  if (type === 'document') onlyIn('user', role, block, type)
  if (role !== 'user') return
  const texts = type === 'search_result' ? blocksOf(block, 'content') : [block]
  for (const text of texts) {
    if (text.get('type') !== 'text') continue
    if ((text.list('citations') ?? []).length > 0) {
      throw new RequestRefused(`${text.at('citations')}: must be empty in \`user\` messages`)
    }
  }
}

function onlyIn(role: string, actual: string, { path }: Fields, type: string): void {
  if (role !== actual)
    throw new RequestRefused(`${path}: \`${type}\` blocks can only be in \`${role}\` messages`)
}

function readCall(block: Fields): TurnPart & { type: 'call' } {
  const input = block.within('input')
  if (!input) throw new RequestRefused(`${block.at('input')}: Field required`)
  return { type: 'call', name: required(block, 'name'), args: input.object, id: required(block, 'id') }
}

/** What a block adds to the conversation; nothing for thoughts and for blocks of the vendor's own tools. */
function readPart(block: Fields, images: ReceivedImages): TurnPart[] {
  const type = required(block, 'type')
  if (type === 'text') return [{ type, text: readText(block) }]
  if (type === 'image') return [readImage(block, images)]
  if (type === 'document') return readDocument(block, images)
  if (type === 'search_result') {
    const texts = [required(block, 'title'), ...readTexts(block, 'content')]
    return [{ type: 'text', text: texts.join('\n') }]
  }
  if (type === 'thinking') checkThinking(block)
  if (type === 'thinking' || type === 'redacted_thinking' || ignoredBlock.test(type)) return []
  throw new RequestRefused(
    `${block.path}: Input tag ${show(type)} found using 'type' does not match any of the expected tags: text, image, ` +
      'document, search_result, thinking, redacted_thinking, tool_use, tool_result',
  )
}

/** Thoughts come back as they were: the service refuses those that were changed. */
function checkThinking(block: Fields): void {
  const thinking = block.text('thinking')
  const signature = block.text('signature')
  if (thinking === undefined) throw new RequestRefused(`${block.at('thinking')}: Field required`)
  if (signature === undefined) throw new RequestRefused(`${block.at('signature')}: Field required`)
  if (!checkSignature(thinking, signature)) {
    throw new RequestRefused(`${block.path}: Invalid \`signature\` in \`thinking\` block`)
  }
}

/** An image URL is not fetched, and files are not stored: both count like any other image. */
function readImage(block: Fields, images: ReceivedImages): TurnPart {
  const source = requiredSource(block)
  const type = source.oneOf('type', ['base64', 'url', 'file'])
  if (type === undefined) throw new RequestRefused(`${source.at('type')}: Field required`)
  if (type === 'url') {
    const url = required(source, 'url')
    if (/^https?:\/\/\S+$/i.test(url)) return { type: 'image', mimeType: 'image/*' }
    throw new RequestRefused(`${source.at('url')}: Only HTTP and HTTPS URLs are supported`)
  }
  if (type === 'file') return { type: 'image', mimeType: 'image/*' }
  const mimeType = source.oneOf('media_type', imageTypes)
  if (mimeType === undefined) throw new RequestRefused(`${source.at('media_type')}: Field required`)
  const image = images.get(required(source, 'data'))
  if (image === undefined || typeof image === 'string') {
    throw new RequestRefused(`${source.at('data')}: ${image ?? 'is not an image'}`)
  }
  return { type: 'image', mimeType, digest: image.digest, width: image.width, height: image.height }
}

/** A document of text is read; any other counts as one tile. */
function readDocument(block: Fields, images: ReceivedImages): TurnPart[] {
  const source = requiredSource(block)
  const type = required(source, 'type')
  if (type === 'text') return [{ type, text: required(source, 'data') }]
  if (type === 'content') return blocksOf(source, 'content').flatMap((inner) => readPart(inner, images))
  return [{ type: 'other', mimeType: source.text('media_type') ?? 'application/pdf' }]
}

function requiredSource(block: Fields): Fields {
  const source = block.within('source')
  if (source) return source
  throw new RequestRefused(`${block.at('source')}: Field required`)
}
