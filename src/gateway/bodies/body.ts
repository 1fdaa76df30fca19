import type { Steps } from '../../engine/clock/timers/steps.ts'
import type { WorkBudget } from '../../engine/work-budget.ts'
import type { BodyReservation } from './body-budget.ts'
import { decompress, joined } from './decompress.ts'
import { abortError, GatewayError } from '../replies/errors.ts'
import { headerOf, type Incoming } from '../incoming.ts'
import { hasTooMany, maxValues, parseBody, parseObject, type JsonObject } from './json.ts'
import { mediaType } from './media-type.ts'

/** The code of a refusal for size; some routes have an answer of their own to it. */
export const bodyTooLarge = 'body_too_large'

/**
 * Reads a body into memory, decompressed, up to a limit. A body that is announced too large isn't read at all.
 * @param held the room that it takes, as long as it isn't given back.
 * @throws {GatewayError} above the limit, where there is no room, for a broken encoding, and when the client leaves in the
 * middle.
 * @assumed §8 body limits are not documented; wire §1.6 and §2.4, the row “Body too large”.
 */
export async function readBody(
  incoming: Incoming,
  limitBytes: number,
  held: BodyReservation,
): Promise<Uint8Array> {
  if ((incoming.announcedBytes ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const { body } = incoming
  let bytes: Uint8Array
  try {
    bytes = typeof body === 'function' ? await body() : await joinedChunks(body ?? [], limitBytes, held)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw abortError(400, 'Invalid request: the body broke off before its end')
  }
  if (typeof body === 'function') held.take(bytes.length)
  if (bytes.length > limitBytes) throw tooLarge(limitBytes)
  const encoding = headerOf(incoming, 'content-encoding')
  if (encoding === '') return bytes
  const unpacked = await decompress(bytes, encoding, limitBytes, held)
  if (unpacked === 'too-large') throw tooLarge(limitBytes)
  return unpacked
}

async function joinedChunks(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  limitBytes: number,
  held: BodyReservation,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    held.take(chunk.length)
    chunks.push(chunk)
  }
  return joined(chunks, size)
}

/**
 * Parses a body of JSON.
 * @throws {GatewayError} for what can't be parsed or isn't an object.
 */
export function parseJson(
  source: Uint8Array | string,
  malformed: () => GatewayError = invalidJson,
): JsonObject {
  const value = parseObject(source)
  if (value) return value
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
  throw hasTooMany(text) ? withTooMany(malformed()) : malformed()
}

/**
 * As {@link parseJson}, in steps, for large bodies.
 * @throws {GatewayError} for what can't be parsed or isn't an object.
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
 * Why the fields of a body were not found: its content type is not that of its content.
 *
 * @param fields what was read of the body.
 * @returns what to send; undefined where the content type is right.
 */
export function unreadBodyHint(incoming: Incoming, fields: JsonObject): string | undefined {
  const contentType = headerOf(incoming, 'content-type')
  // What curl sends for -d, unless told otherwise.
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

export function isJson(contentType: string): boolean {
  return contentType === 'application/json' || mediaType(contentType) === 'application/json'
}

/** @assumed §7 the error for malformed JSON is not documented; wire §2.2 (the prefix really appears twice). */
function invalidJson(): GatewayError {
  return abortError(400, 'Invalid request: Invalid request: invalid JSON request body')
}

/** The refusal of a body that is too large, or of a form that is. */
export function tooLarge(limitBytes: number, what = 'request body'): GatewayError {
  const limit = `${Number((limitBytes / 1024 / 1024).toFixed(2))} MB`
  const message = `${what} exceeds ${limit}: request body too large`
  const error = abortError(400, `Invalid request: Invalid request: ${message}`)
  return new GatewayError(error.status, error.message, (requestId) => error.body(requestId), {}, bodyTooLarge)
}
