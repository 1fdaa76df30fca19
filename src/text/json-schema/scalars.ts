import type { DeclaredSchema } from '../spec.ts'
import { jsonTypes, keyOf, under, type JsonType, type SchemaNode } from './node.ts'
import { maxPatternLength, PatternRefused } from '../patterns/pattern-parse.ts'
import { compilePattern, type Pattern } from '../patterns/pattern.ts'
import { type Json, place, refuseSchema, formatValue } from './refuse.ts'
import { knownFormats } from './texts.ts'

/** The words of a text. */
export const words = (text: string): string[] => text.trim().split(/\s+/)

/** Keywords whose value is a whole number, at least 0. */
const countKeywords = words('minLength maxLength minItems maxItems minProperties maxProperties')

/** Keywords that bound a number. */
const numberKeywords = words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf')

/**
 * The keywords of the native dialect, an OpenAPI schema.
 * @assumed §2.6 response schemas are undocumented; the vendor's Schema type, wire §8.2.
 */
export const nativeKeywords: ReadonlySet<string> = new Set(
  words(`
    title description default example examples type format enum items properties required anyOf pattern minimum maximum
    nullable propertyOrdering minLength maxLength minItems maxItems minProperties maxProperties`),
)

/**
 * The supported keywords of JSON Schema from draft 4 to 2020-12, with `nullable` and `propertyOrdering`, which clients add.
 * @assumed §4.9 structured output is undocumented; the keywords of structured outputs, and those that
 * libraries write; wire §8.2, §9.1.
 */
export const honouredKeywords: ReadonlySet<string> = new Set([
  ...nativeKeywords,
  ...countKeywords,
  ...numberKeywords,
  ...words(`
    const $ref $defs definitions allOf oneOf prefixItems additionalItems uniqueItems additionalProperties propertyNames
    contentEncoding`),
])

/** Keywords that restrict no value. */
const annotations: ReadonlySet<string> = new Set(
  words(`
    $schema $id $anchor $comment $vocabulary id title description default example examples deprecated readOnly writeOnly
    discriminator externalDocs xml then else contentMediaType contentSchema markdownDescription enumNames enumDescriptions`),
)

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-')
}

export const maxPatterns = 50
const maxValues = 5_000
/** More notes don't fit into the hint header. */
const maxNotes = 10

/** Reads the keywords of a schema that contain no other schema: types, values, bounds, patterns, formats. */
export class ScalarReader {
  readonly notes: string[] = []
  /** The size of all patterns. */
  links = 0
  readonly #isNative: boolean
  readonly #patterns = new Map<string, Pattern | undefined>()
  #values = 0

  constructor(dialect: DeclaredSchema['dialect']) {
    this.#isNative = dialect === 'native'
  }

  get isFull(): boolean {
    return this.notes.length >= maxNotes
  }

  note(note: string): void {
    if (!this.isFull) this.notes.push(note)
  }

  ignore(pointer: string, what: string, why = ''): void {
    this.note(`${what} at ${place(pointer)} is ignored${why && ` (${why})`}`)
  }

  /** @throws {SchemaRefused} for an invalid value of a keyword. */
  readInto(node: SchemaNode, raw: Json): void {
    this.#readTypes(raw, node)
    this.#readValues(raw, node)
    this.#readNumbers(raw, node)
    this.#readTexts(raw, node)
  }

  /** Reads a pattern; undefined for one from which no text can be written. */
  #readPattern(source: unknown, pointer: string): Pattern | undefined {
    if (typeof source !== 'string')
      return refuseSchema(pointer, `${formatValue(source)} should be a regular expression as a text`)
    if (this.#patterns.has(source)) return this.#patterns.get(source)
    if (source.length > maxPatternLength)
      refuseSchema(
        pointer,
        `the pattern ${formatValue(source)} is longer than ${maxPatternLength} characters`,
      )
    if (this.#patterns.size >= maxPatterns)
      refuseSchema(pointer, `the schema has more than ${maxPatterns} patterns: remove some`)
    let pattern: Pattern | undefined
    try {
      pattern = compilePattern(source)
      this.links += pattern.links
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error
      this.ignore(pointer, `the pattern ${formatValue(source)}`, error.message)
    }
    this.#patterns.set(source, pattern)
    return pattern
  }

  #readTypes({ type }: Json, node: SchemaNode): void {
    if (type === undefined) return
    const at = under(node.pointer, 'type')
    const list: unknown[] = Array.isArray(type) && !this.#isNative ? type : [type]
    if (list.length === 0) refuseSchema(at, 'the list of types is empty, so nothing can fit')
    node.types = new Set(
      list.map((each): JsonType => {
        const name = typeof each === 'string' && this.#isNative ? each.toLowerCase() : each
        const found = jsonTypes.find((known) => known === name)
        return (
          found ?? refuseSchema(at, `${formatValue(each)} is not a type: use one of ${jsonTypes.join(', ')}`)
        )
      }),
    )
  }

  #readValues(raw: Json, node: SchemaNode): void {
    const list = raw['enum']
    if (list !== undefined) {
      const at = under(node.pointer, 'enum')
      if (!Array.isArray(list)) refuseSchema(at, `${formatValue(list)} should be a list of values`)
      if (list.length === 0) refuseSchema(at, 'the list of values is empty, so nothing can fit')
      this.#values += list.length
      if (this.#values > maxValues)
        refuseSchema(at, `the schema enumerates more than ${maxValues} values: remove some`)
      node.values = list
    }
    if ('const' in raw) node.values = [raw['const']]
    if (node.values !== undefined) node.valueKeys = new Set(node.values.map((value) => keyOf(value)))
  }

  #readNumbers(raw: Json, node: SchemaNode): void {
    for (const keyword of countKeywords) {
      const count = raw[keyword]
      if (count !== undefined)
        Object.assign(node, { [keyword]: this.#readCount(count, under(node.pointer, keyword)) })
    }
    for (const keyword of numberKeywords) {
      const value = numericBound(raw, keyword)
      if (value === undefined) continue
      const at = under(node.pointer, keyword)
      if (typeof value !== 'number' || !Number.isFinite(value))
        refuseSchema(at, `${formatValue(value)} should be a number`)
      if (keyword === 'multipleOf' && value <= 0)
        refuseSchema(at, `${formatValue(value)} should be a number above 0`)
      Object.assign(node, { [keyword]: value })
    }
  }

  /** Reads a count. The native dialect writes counts as texts, because 64-bit numbers are texts in its JSON. */
  #readCount(value: unknown, pointer: string): number {
    const isText = typeof value === 'string' && /^\d{1,15}$/.test(value) && this.#isNative
    const count = isText ? Number(value) : value
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
      refuseSchema(pointer, `${formatValue(value)} should be a whole number from 0`)
    }
    return count
  }

  #readTexts(raw: Json, node: SchemaNode): void {
    if (raw['pattern'] !== undefined) {
      const pattern = this.#readPattern(raw['pattern'], under(node.pointer, 'pattern'))
      if (pattern !== undefined) node.pattern = pattern
    }
    const encoding = raw['contentEncoding']
    if (encoding !== undefined && encoding !== 'base64') this.ignore(node.pointer, '"contentEncoding"')
    const format = raw['format'] ?? (encoding === 'base64' ? 'base64' : undefined)
    if (format === undefined) return
    if (typeof format !== 'string')
      refuseSchema(under(node.pointer, 'format'), `${formatValue(format)} should be a text`)
    if (knownFormats.has(format)) node.format = format
    // The native dialect accepts any format, and supports the few that it knows.
    else if (!this.#isNative) this.ignore(node.pointer, `"format": ${formatValue(format)}`)
  }
}

/** Reads a bound. In draft 4, `exclusiveMinimum: true` excludes the minimum itself. */
function numericBound(raw: Json, keyword: string): unknown {
  const value = raw[keyword]
  if (typeof value !== 'boolean' || !keyword.startsWith('exclusive')) return value
  return value ? raw[keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : undefined
}
