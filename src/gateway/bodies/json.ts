import { isObject } from '../../engine/is-object.ts'
import { runAtOnce, type Steps } from '../../engine/clock/timers/steps.ts'
import type { WorkBudget } from '../../engine/work-budget.ts'
import { abortError, type GatewayError } from '../replies/errors.ts'
import { headerOf, mediaType, type GatewayRequest } from '../request.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = Readonly<Record<string, JsonValue | undefined>>

/** How deeply a body may be nested, because walking it uses the stack. */
export const maxDepth = 100

/** How many values a body may have. Each costs far more time and memory than its few bytes. */
export const maxValues = 100_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes bytes as UTF-8; undefined if they are invalid. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** How many bytes are decoded in one step. */
const bytesInStep = 2 * 1024 * 1024

/** As {@link decodeUtf8}, in steps. */
export function* decodeText(bytes: Uint8Array): Steps<string | undefined> {
  const stream = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  try {
    for (let at = 0; at < bytes.length; at += bytesInStep) {
      const isLast = at + bytesInStep >= bytes.length
      pieces.push(stream.decode(bytes.subarray(at, at + bytesInStep), { stream: !isLast }))
      if (!isLast) yield
    }
    // Joined once: V8 flattens a concatenated text on first use, in the step that counts its values.
    return pieces.join('')
  } catch {
    return undefined
  }
}

/**
 * Parses bytes or text as a JSON object; undefined for anything else, and for one that is nested too deeply or has too many
 * values.
 */
export function parseObject(source: Uint8Array | string, most = maxValues): JsonObject | undefined {
  const text = typeof source === 'string' ? source : decodeUtf8(source)
  return text === undefined || hasTooMany(text, most) ? undefined : parseText(text)
}

/** Whether a body costs enough work that each further step gets its own turn of the event loop. */
export function isHeavy(work: WorkBudget): boolean {
  return work.spent > 2_000
}

/** A parsed body, or the reason why it could not be parsed. */
type ParsedBody = JsonObject | 'malformed' | 'too-many'

/** Work units of a parsed character, an escape, a value and a name. Objects with many names are slow. */
const characterWork = 0.0005
const escapeWork = 0.008
const valueWork = 0.1
const nameWork = 1.1
const bodyWork = 'its body'

/**
 * Parses a large body in steps. A call of JSON.parse can't be divided, so the budget bounds it.
 * @throws {WorkRefused} when the budget runs out.
 */
export function* parseBody(bytes: Uint8Array, work: WorkBudget): Steps<ParsedBody> {
  const text = yield* decodeText(bytes)
  if (text === undefined) return 'malformed'
  if (bytes.length > bytesInStep) yield
  const { values, names, escapes } = yield* countIn(text, maxValues)
  if (values > maxValues) return 'too-many'
  work.spend(text.length * characterWork + escapes * escapeWork, bodyWork)
  work.spend(values * valueWork + names * nameWork, bodyWork)
  if (isHeavy(work)) yield
  return parseText(text) ?? 'malformed'
}

function parseText(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return isObject(value) && !isDeeper(value, maxDepth) ? value : undefined
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

/** Whether a JSON text has more values than `most`. Does not parse it. */
export function hasTooMany(text: string, most = maxValues): boolean {
  return text.length > most && runAtOnce(countIn(text, most)).values > most
}

/** How many characters are scanned in one step, and how many of them an escape counts for. */
const countedInStep = 2_000_000
const escapeSteps = 20

/** Counts the values, names and escapes of a JSON text without parsing it. Stops at too many values. */
function* countIn(
  text: string,
  maxCounted: number,
): Steps<{ values: number; names: number; escapes: number }> {
  let values = 0
  let names = 0
  let escapes = 0
  // `indexOf` finds the next quote and escape faster than a loop over characters.
  let nextQuote = -1
  let nextEscape = -1
  let untilYield = countedInStep
  for (let at = 0; at < text.length; at++) {
    if (--untilYield <= 0) {
      untilYield = countedInStep
      yield
    }
    const code = text.charCodeAt(at)
    if (code === comma || code === openBracket || code === openBrace) {
      if (++values > maxCounted) break
    }
    if (code === colon) names++
    if (code !== quote) continue
    for (at++; ; at = nextEscape + 2, escapes++) {
      if (nextQuote < at) nextQuote = positionOf(text, '"', at)
      if (nextEscape < at) nextEscape = positionOf(text, '\\', at)
      if (nextQuote < nextEscape || nextEscape === Infinity) break
      untilYield -= escapeSteps
      if (untilYield <= 0) {
        untilYield = countedInStep
        yield
      }
    }
    at = nextQuote
  }
  return { values, names, escapes }
}

/** The position of the next such character; Infinity if there is none. */
function positionOf(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from)
  return found < 0 ? Infinity : found
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
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
    return `The body is not UTF-8, or is nested deeper than ${maxDepth} levels.`
  } catch (error) {
    const position = / position (\d+)/.exec((error as Error).message)?.[1]
    const where = position === undefined ? '' : ` from character ${Number(position) + 1} on`
    return `The body is not valid JSON${where}. Send a JSON object, in quotes that your shell leaves as they are.`
  }
}

/**
 * Like {@link parseJson}, but in steps, for large bodies.
 * @throws {GatewayError} for a body that can't be parsed or isn't an object.
 * @throws {WorkRefused} when the budget runs out.
 */
export function* parseLargeJson(
  bytes: Uint8Array,
  work: WorkBudget,
  malformed: () => GatewayError = invalidJson,
): Steps<JsonObject> {
  const value = yield* parseBody(bytes, work)
  if (value === 'too-many') throw withTooMany(malformed())
  if (value === 'malformed') throw malformed()
  return value
}

function withTooMany(error: GatewayError): GatewayError {
  return error.withHint(`The body has more than ${maxValues} values. Send fewer at a time.`)
}

/**
 * Explains why the fields of a body were not found, if its content type doesn't fit its content.
 *
 * @param fields the fields that were read.
 * @returns what to send instead; undefined if the content type is right.
 */
export function unreadBodyHint(incoming: GatewayRequest, fields: JsonObject): string | undefined {
  const contentType = headerOf(incoming, 'content-type')
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

/** @assumed §7 the error for malformed JSON is not documented; wire §2.2 (the prefix really appears twice). */
function invalidJson(): GatewayError {
  return abortError(400, 'Invalid request: Invalid request: invalid JSON request body')
}
