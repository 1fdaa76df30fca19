import { decompress, joined } from './decompress.ts'
import { abortError, GatewayError } from './errors.ts'
import { readForm } from './form.ts'
import { headerOf, type Incoming } from './incoming.ts'
import { hasTooMany, mostValues, parseObject, type JsonObject } from './json.ts'
import { mediaType } from './media-type.ts'

/** The code of a refusal for size; some routes have an answer of their own to it. */
export const bodyTooLarge = 'body_too_large'

/**
 * Reads a body into memory, decompressed, up to a limit. A body that is announced too large isn't read at all.
 * @throws {GatewayError} above the limit; rejects with one above the limit, for a broken encoding, and when the client
 * leaves in the middle.
 * @assumed §8 body limits are not shown; wire §1.6 and §2.4, the row “Body too large”.
 */
export function readBody(incoming: Incoming, limitBytes: number): Promise<Uint8Array> {
  if ((incoming.announcedBytes ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const { body } = incoming
  const sent = (typeof body === 'function' ? body() : gathered(body, limitBytes)).catch(() => {
    throw abortError(400, 'Invalid request: the body broke off before its end')
  })
  const encoding = headerOf(incoming, 'content-encoding')
  // Nearly all are small and plain, and each step that is awaited takes longer than looking at their length.
  const isSmall = incoming.announcedBytes !== undefined && typeof body === 'function'
  return isSmall && encoding === '' ? sent : unpacked(sent, encoding, limitBytes)
}

/** A body as it was sent; of one above the limit, as much as shows that it is. */
async function gathered(
  body: AsyncIterable<Uint8Array> | undefined,
  limitBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    chunks.push(chunk)
    if (size > limitBytes) break
  }
  return joined(chunks, size)
}

async function unpacked(
  sent: Promise<Uint8Array>,
  encoding: string,
  limitBytes: number,
): Promise<Uint8Array> {
  const bytes = await sent
  if (bytes.length > limitBytes) throw tooLarge(limitBytes)
  if (encoding === '') return bytes
  const whole = await decompress(bytes, encoding, limitBytes)
  if (whole === 'too-large') throw tooLarge(limitBytes)
  return whole
}

/**
 * Parses a body by its content type: JSON, or a form. Anything else counts as an empty object, which the route
 * will then miss its fields in.
 *
 * @returns an object, at once where the body is JSON.
 * @throws {GatewayError} for JSON that can't be parsed or isn't an object, and rejects with one for a broken form.
 * @assumed §4.1 other content types are not shown; wire §1.5.
 */
export function parseBody(
  bytes: Uint8Array,
  contentType: string,
  malformed: () => GatewayError = invalidJson,
): JsonObject | Promise<JsonObject> {
  if (!isJson(contentType)) return readForm(bytes, contentType).then((form) => form ?? {})
  const value = parseObject(bytes)
  if (value) return value
  const error = malformed()
  throw hasTooMany(new TextDecoder().decode(bytes))
    ? error.withHint(`The body has more than ${mostValues} values. Send fewer at a time.`)
    : error
}

/** Why a body was taken for empty, as a hint for whoever wonders; undefined when it was read. */
export function unreadBodyHint(incoming: Incoming): string | undefined {
  const contentType = headerOf(incoming, 'content-type')
  if (
    !incoming.body ||
    isJson(contentType) ||
    /^(?:multipart\/form-data|application\/x-www-form-urlencoded)$/.test(mediaType(contentType))
  )
    return undefined
  const seen = contentType === '' ? 'missing' : JSON.stringify(contentType.slice(0, 80))
  return `The body was not read: Content-Type is ${seen}. Send application/json.`
}

function isJson(contentType: string): boolean {
  return contentType === 'application/json' || mediaType(contentType) === 'application/json'
}

/** @assumed §7 the error for malformed JSON is not shown; wire §2.2 (the prefix really appears twice). */
function invalidJson(): GatewayError {
  return abortError(400, 'Invalid request: Invalid request: invalid JSON request body')
}

function tooLarge(limitBytes: number): GatewayError {
  const limit = `${Number((limitBytes / 1024 / 1024).toFixed(2))} MB`
  const message = `request body exceeds ${limit}: request body too large`
  const error = abortError(400, `Invalid request: Invalid request: ${message}`)
  return new GatewayError(error.status, error.message, (requestId) => error.body(requestId), {}, bodyTooLarge)
}
