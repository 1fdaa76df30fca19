import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'

export const roles = ['user', 'model', 'function'] as const

/** A part has exactly one of these fields. */
const payloads = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
] as const

/**
 * Reads a conversation (§2.6), oldest turn first.
 *
 * @assumed §2.6 parts beyond text are undocumented; wire §8.2.
 * @throws {RequestRefused} if there are no turns, for unknown roles, parts with no or two kinds, and results of functions
 * without a call.
 */
export function readContents(value: JsonValue | undefined, images: ReceivedImages, maxTurns: number): Turn[] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    throw new RequestRefused('contents is required', 'gateway')
  }
  const contents = listOf(value)
  if (contents.length > maxTurns) {
    throw new RequestRefused(`contents has ${contents.length} items, at most ${maxTurns} are taken`)
  }
  const called = new Set<string>()
  const turns: Turn[] = []
  for (const [index, content] of contents.entries()) {
    const fields = new Fields(content, `contents[${index}]`)
    const role = fields.oneOf('role', roles) ?? 'user'
    const parts = readParts(fields, images)
    for (const part of parts) checkCalls(part, called, fields.path)
    turns.push(...turnsOf(role, parts))
  }
  return turns
}

/** The texts of a content in which only texts count, such as an instruction. */
export function readTexts(fields: Fields): string {
  return readParts(fields, new Map())
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

/** The base64 texts of all images in an unchecked body. */
export function imageTexts(contents: JsonValue | undefined): string[] {
  const texts: string[] = []
  for (const content of listOf(contents)) {
    for (const part of isObject(content) ? listOf(content['parts']) : []) {
      const data = isObject(part) ? (part['inlineData'] ?? part['inline_data']) : undefined
      const bytes = isObject(data) && isImage(mimeTypeOf(data)) ? data['data'] : undefined
      if (typeof bytes === 'string') texts.push(bytes)
    }
  }
  return texts
}

/** A list. Clients may omit the brackets of a list of one. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

function readParts(fields: Fields, images: ReceivedImages): TurnPart[] {
  const parts = listOf(fields.get('parts'))
  if (parts.length === 0) throw new RequestRefused(`${fields.at('parts')} must not be empty`)
  const turnParts: TurnPart[] = []
  for (const [index, part] of parts.entries()) {
    const text = onlyText(part)
    if (text !== undefined) {
      turnParts.push({ type: 'text', text })
      continue
    }
    const read = new Fields(part, `${fields.at('parts')}[${index}]`)
    // Clients return the model's thoughts with the conversation. They don't count.
    if (read.get('thought') !== true) turnParts.push(readPart(read, images))
  }
  return turnParts
}

/** The text of a part without other fields, as most parts are. */
function onlyText(part: JsonValue): string | undefined {
  if (!isObject(part) || typeof part['text'] !== 'string') return undefined
  for (const name in part) if (name !== 'text') return undefined
  return part['text']
}

function readPart(part: Fields, images: ReceivedImages): TurnPart {
  const given = payloads.filter((name) => part.get(name) !== undefined)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : given.join(' and ')
    throw new RequestRefused(`${part.path} must have exactly one of ${payloads.join(', ')}; it has ${found}`)
  }
  const [payload] = given
  if (payload === 'text') return { type: 'text', text: part.text('text')! }
  const inner = part.within(payload!)!
  if (payload === 'inlineData') return readInline(inner, images)
  if (payload === 'functionCall') {
    return { type: 'call', name: nameOf(inner), args: argsOf(inner, 'args'), ...idOf(inner) }
  }
  if (payload === 'functionResponse') {
    return { type: 'result', name: nameOf(inner), value: argsOf(inner, 'response'), ...idOf(inner) }
  }
  return { type: 'other', mimeType: inner.text('mimeType') ?? 'text/plain' }
}

function readInline(data: Fields, images: ReceivedImages): TurnPart {
  const mimeType = data.text('mimeType')
  const bytes = data.text('data')
  if (!mimeType || bytes === undefined) throw new RequestRefused(`${data.path} needs mimeType and data`)
  if (!isImage(mimeType)) return { type: 'other', mimeType }
  const image = images.get(bytes)
  if (image === undefined || typeof image === 'string') {
    throw new RequestRefused(`${data.at('data')} ${image ?? 'is not an image'}`)
  }
  return { type: 'image', mimeType, digest: image.digest, width: image.width, height: image.height }
}

/** Splits a content into turns. Results of functions become a separate turn before the other parts. */
function turnsOf(role: (typeof roles)[number], parts: readonly TurnPart[]): Turn[] {
  if (role === 'model') return [{ role: 'assistant', parts }]
  if (!parts.some(({ type }) => type === 'result')) return [{ role: 'user', parts }]
  const results = parts.filter(({ type }) => type === 'result')
  const rest = parts.filter(({ type }) => type !== 'result')
  return [
    { role: 'tool', parts: results },
    ...(rest.length > 0 ? [{ role: 'user', parts: rest } as const] : []),
  ]
}

/** Checks that the result of a function comes after its call. @param called the functions called so far. */
function checkCalls(part: TurnPart, called: Set<string>, path: string): void {
  if (part.type === 'call') called.add(part.name)
  if (part.type !== 'result' || called.has(part.name)) return
  throw new RequestRefused(
    `${path} answers a call of ${show(part.name)}, which no content made: a functionResponse must come after its functionCall`,
  )
}

function nameOf(fields: Fields): string {
  const name = fields.text('name')
  if (!name) throw new RequestRefused(`${fields.at('name')} must not be empty`)
  return name
}

function idOf(fields: Fields): { id?: string } {
  const id = fields.text('id')
  return id === undefined ? {} : { id }
}

function argsOf(fields: Fields, name: string): Readonly<Record<string, unknown>> {
  return fields.within(name)?.object ?? {}
}

function mimeTypeOf(data: Readonly<Record<string, JsonValue>>): string {
  const mimeType = data['mimeType'] ?? data['mime_type']
  return typeof mimeType === 'string' ? mimeType : ''
}

function isImage(mimeType: string): boolean {
  return /^image\//i.test(mimeType)
}
