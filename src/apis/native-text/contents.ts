import { Refused } from '../jobs/kit/refused.ts'
import { isObject } from '../../engine/is-object.ts'
import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named, refusing } from '../../scenario/schema/fields.ts'
import { anyObject, constrain, optionalText } from '../../scenario/schema/json-values.ts'
import { byGateway, ifNoText } from '../text/refuse-misfit.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Turn, TurnPart } from '../../text/spec.ts'
import { show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'

/**
 * A list, whose brackets clients may omit if it has one item.
 * @param noItems the refusal of a list without items; without it, the list may be empty.
 */
export function listOrItem<Item extends z.ZodMiniType>(
  item: Item,
  noItems?: string,
): z.ZodMiniType<z.output<Item>[]> {
  const list = z.array(item)
  const items = noItems === undefined ? list : list.check(z.minLength(1, noItems))
  return z.pipe(z.transform(listOf), z.union([item, items]) as never) as never
}

/** A list of a value that may be an item of it. */
export function listOf<Item>(value: Item | readonly Item[] | undefined): readonly Item[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value as Item]
}

const incomplete = '{holder} needs mimeType and data'
const data = once(() =>
  z.object({
    mimeType: z.string({ error: ifNoText(incomplete) }).check(z.minLength(1)),
    data: z.string({ error: ifNoText(incomplete) }),
  }),
)
const file = once(() => z.object({ mimeType: optionalText }))
const name = once(() => z.string({ error: ifNoText('{field} must not be empty') }).check(z.minLength(1)))

const payloads = once(() => ({
  text: optionalText,
  inlineData: z.optional(data()),
  fileData: z.optional(file()),
  functionCall: z.optional(z.object({ name: name(), args: z.optional(anyObject), id: optionalText })),
  functionResponse: may(
    z.object({ name: name(), response: z.optional(anyObject), id: optionalText }),
    'After a call of that function.',
  ),
  executableCode: z.optional(file()),
  codeExecutionResult: z.optional(file()),
}))

const payload = once(() => {
  const names = Object.keys(payloads()) as (keyof ReturnType<typeof payloads>)[]
  const exactlyOne = refusing<Partial<Record<(typeof names)[number], unknown>>>((part) => {
    let count = 0
    for (const each of names) if (part[each] !== undefined) count += 1
    if (count === 1) return undefined
    const given = names.filter((each) => part[each] !== undefined).join(' and ')
    return `{field} must have exactly one of ${names.join(', ')}; it has ${given || 'none of them'}`
  })
  return constrain(z.object({ ...payloads(), thought: z.optional(z.unknown()) }).check(exactlyOne), {
    oneOf: names.map((each) => ({ properties: { [each]: {} }, required: [each] })),
  })
})

const givenPart = once(() =>
  named(
    'GivenPart',
    z.union([
      z.object({ thought: must(z.literal(true), 'A thought of the model, which is not read.') }),
      payload(),
    ]),
    'A part of a turn, with exactly one payload.',
  ),
)

type GivenPart = z.output<ReturnType<typeof givenPart>>

const parts = once(() => listOrItem(givenPart(), '{field} must not be empty'))

/** A content in which only the texts count, such as an instruction. */
export const texts = once(() => z.object({ parts: parts() }))

const content = once(() =>
  named(
    'Content',
    z.object({
      role: may(z.enum(['user', 'model', 'function']), 'Who speaks. Default user.'),
      parts: parts(),
    }),
    'A turn of a conversation.',
  ),
)

type Content = z.output<ReturnType<typeof content>>

export const contents = once(() =>
  must(listOrItem(content(), byGateway('contents is required')), 'The conversation, oldest turn first.'),
)

/**
 * Reads a conversation (§2.6), oldest turn first.
 *
 * @assumed §2.6 parts beyond text are undocumented; wire §8.2.
 * @throws {Refused} for images that are refused, and results of functions without a call.
 */
export function readContents(contents: readonly Content[], images: ReceivedImages, maxTurns: number): Turn[] {
  if (contents.length > maxTurns) {
    throw new Refused(`contents has ${contents.length} items, at most ${maxTurns} are taken`)
  }
  const called = new Set<string>()
  const turns: Turn[] = []
  contents.forEach(({ role = 'user', parts: given }, index) => {
    const path = (): string => `contents[${index}]`
    const parts = toParts(given, path, images)
    for (const part of parts) checkCalls(part, called, path)
    turns.push(...turnsOf(role, parts))
  })
  return turns
}

/** The texts of a content in which only texts count, such as an instruction. @param path its place. */
export function readTexts({ parts }: Pick<Content, 'parts'>, path: string): string {
  return toParts(parts, () => path, new Map())
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

/** @param path makes the place of the parts, only for an error: requests may have thousands of turns. */
function toParts(parts: readonly GivenPart[], path: () => string, images: ReceivedImages): TurnPart[] {
  const read: TurnPart[] = []
  parts.forEach((part, index) => {
    // Clients return the model's thoughts with the conversation. They don't count.
    if (part.thought === true) return
    read.push(toPart(part as Payload, () => `${path()}.parts[${index}]`, images))
  })
  return read
}

type Payload = Exclude<GivenPart, { thought: true }>

function toPart(part: Payload, path: () => string, images: ReceivedImages): TurnPart {
  const { text, inlineData, functionCall: call, functionResponse: result } = part
  if (text !== undefined) return { type: 'text', text }
  if (inlineData) return toInline(inlineData, path, images)
  if (call) return { type: 'call', name: call.name, args: call.args ?? {}, ...idOf(call) }
  if (result) return { type: 'result', name: result.name, value: result.response ?? {}, ...idOf(result) }
  const { mimeType = 'text/plain' } = part.fileData ?? part.executableCode ?? part.codeExecutionResult ?? {}
  return { type: 'other', mimeType }
}

function toInline(
  { mimeType, data }: NonNullable<Payload['inlineData']>,
  path: () => string,
  images: ReceivedImages,
): TurnPart {
  if (!isImage(mimeType)) return { type: 'other', mimeType }
  const image = images.get(data)
  if (image === undefined || typeof image === 'string')
    throw new Refused(`${path()}.inlineData.data ${image ?? 'is not an image'}`)
  return { type: 'image', mimeType, digest: image.digest, width: image.width, height: image.height }
}

/** Splits a content into turns. Results of functions become a separate turn before the other parts. */
function turnsOf(role: NonNullable<Content['role']>, parts: readonly TurnPart[]): Turn[] {
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
function checkCalls(part: TurnPart, called: Set<string>, path: () => string): void {
  if (part.type === 'call') called.add(part.name)
  if (part.type !== 'result' || called.has(part.name)) return
  throw new Refused(
    `${path()} answers a call of ${show(part.name)}, which no content made: a functionResponse must come after its functionCall`,
  )
}

function idOf({ id }: { readonly id?: string | undefined }): { id?: string } {
  return id === undefined ? {} : { id }
}

function mimeTypeOf(data: Readonly<Record<string, JsonValue>>): string {
  const mimeType = data['mimeType'] ?? data['mime_type']
  return typeof mimeType === 'string' ? mimeType : ''
}

function isImage(mimeType: string): boolean {
  return /^image\//i.test(mimeType)
}
