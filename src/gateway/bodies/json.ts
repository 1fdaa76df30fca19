import { caps } from '../../engine/caps.ts'
import { isObject } from '../../engine/is-object.ts'
import { abortError, type GatewayError } from '../replies/errors.ts'
import { headerOf, mediaType, type GatewayRequest } from '../request.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = Readonly<Record<string, JsonValue | undefined>>

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes bytes as UTF-8; undefined if they are invalid. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Parses bytes or text as a JSON object; undefined for anything else, and for one that is nested too deeply or has too many
 * values.
 */
export function parseObject(source: Uint8Array | string, most = caps.jsonValues): JsonObject | undefined {
  const text = typeof source === 'string' ? source : decodeUtf8(source)
  return text === undefined || hasTooMany(text, most) ? undefined : parseText(text)
}

function parseText(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return isObject(value) && !isDeeper(value, caps.jsonDepth) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is nested more deeply than `most`. Stops at that depth, since nesting is unlimited. */
function isDeeper(value: JsonValue, most: number): boolean {
  if (most === 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, most - 1)) return true
  } else {
    for (const name in value) if (isDeeper(value[name]!, most - 1)) return true
  }
  return false
}

/** Whether a JSON text has more values than `most`. Does not parse it, and stops at too many. */
export function hasTooMany(text: string, most = caps.jsonValues): boolean {
  if (text.length <= most) return false
  let values = 0
  // `indexOf` finds the next quote and escape faster than a loop over characters.
  let nextQuote = -1
  let nextEscape = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === comma || code === openBracket || code === openBrace) && ++values > most) return true
    if (code !== quote) continue
    for (at++; ; at = nextEscape + 2) {
      if (nextQuote < at) nextQuote = positionOf(text, '"', at)
      if (nextEscape < at) nextEscape = positionOf(text, '\\', at)
      if (nextQuote < nextEscape || nextEscape === Infinity) break
    }
    at = nextQuote
  }
  return false
}

/** The position of the next such character; Infinity if there is none. */
function positionOf(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from)
  return found < 0 ? Infinity : found
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Parses a JSON body.
 * @throws {GatewayError} for a body that can't be parsed or isn't an object.
 */
export function parseJson(
  source: Uint8Array | string,
  malformed: () => GatewayError = invalidJson,
): JsonObject {
  const value = parseObject(source)
  if (value) return value
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
  throw hasTooMany(text) ? withTooMany(malformed()) : malformed().withHint(explainMalformed(text))
}

/**
 * Explains why a text is not a JSON object. JavaScript engines word their errors differently, so only the position is
 * theirs.
 */
function explainMalformed(text: string): string {
  if (text.trim() === '') return 'The body is empty. Send a JSON object.'
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return 'The body is a JSON array. Send a JSON object.'
    if (typeof value !== 'object' || value === null) return 'The body is a single JSON value. Send an object.'
    return `The body is not UTF-8, or is nested deeper than ${caps.jsonDepth} levels.`
  } catch (error) {
    const position = / position (\d+)/.exec((error as Error).message)?.[1]
    const where = position === undefined ? '' : ` from character ${Number(position) + 1} on`
    return `The body is not valid JSON${where}. Send a JSON object, in quotes that your shell leaves as they are.`
  }
}

function withTooMany(error: GatewayError): GatewayError {
  return error.withHint(`The body has more than ${caps.jsonValues} values. Send fewer at a time.`)
}

/**
 * Explains why the fields of a body were not found, if its content type doesn't fit its content.
 *
 * @param fields the fields that were read.
 * @param takesOther whether JSON of another name was read, too.
 * @returns what to send instead; undefined if the content type is right.
 */
export function unreadBodyHint(
  incoming: GatewayRequest,
  fields: JsonObject,
  takesOther = false,
): string | undefined {
  const contentType = headerOf(incoming, 'content-type')
  if (takesOther && isOtherJson(contentType)) return undefined
  // The default content type of curl -d.
  if (mediaType(contentType) === 'application/x-www-form-urlencoded') {
    const [first = ''] = Object.keys(fields)
    if (!/^\s*[{[]/.test(first)) return undefined
    return 'The body looks like JSON, but was read as a form: Content-Type is application/x-www-form-urlencoded. Send "Content-Type: application/json".'
  }
  if (!incoming.body || isJson(contentType) || mediaType(contentType) === 'multipart/form-data')
    return undefined
  const seen = contentType === '' ? 'missing' : JSON.stringify(contentType.slice(0, 80))
  return `The body was not read: Content-Type is ${seen}. Send application/json.`
}

/**
 * Whether a body is read as JSON. The gateway compares only the beginning, so `application/json, application/json` counts.
 * @assumed §4.1 other content types are not documented; wire §1.5.
 */
export function isJson(contentType: string): boolean {
  return contentType === 'application/json' || /^\s*application\/json/i.test(contentType)
}

/** Whether a content type is JSON of another name, which APIs of users may have: `application/x-amz-json-1.0`. */
export function isOtherJson(contentType: string): boolean {
  return /^application\/(?:x-amz-json-[\d.]+|[\w.-]+\+json)$/.test(mediaType(contentType))
}

/** @assumed §7 the error for malformed JSON is not documented; wire §2.2 (the prefix really appears twice). */
function invalidJson(): GatewayError {
  return abortError(400, 'Invalid request: Invalid request: invalid JSON request body')
}
