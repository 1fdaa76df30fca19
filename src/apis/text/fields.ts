import { Refused } from '../jobs/kit/refused.ts'
import { isObject } from '../../engine/is-object.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import { AnswerTooLarge, SchemaRefused, type TextRequest, type TurnPart } from '../../text/spec.ts'

/** The API's names for a refusal of the service behind the gateway. */
export interface UpstreamWords {
  readonly type: string
  readonly code: string | number
}

/** Runs a function, and puts refusals into an envelope. */
export type Guard = <T>(run: () => T) => T

/**
 * Converts refusals of requests to errors of the gateway, or of the service behind it.
 *
 * @assumed §7 the responses to bad requests are undocumented; wire §2.4, but with 400: there, the gateway's own refusals have status 500.
 */
export function guardFor(words: UpstreamWords): Guard {
  return (run) => {
    try {
      return run()
    } catch (error) {
      if (error instanceof SchemaRefused)
        throw upstreamError(400, error.message, error.strict ? { ...words, ...error.strict } : words)
      if (error instanceof AnswerTooLarge) throw upstreamError(400, error.message, words)
      if (!(error instanceof Refused)) throw error
      throw upstreamError(400, error.message, words)
    }
  }
}

/**
 * The text of the last unchecked message that has any: one of images, or of results of tools, has none.
 * @param contentOf the text or the parts of a message; undefined for one that is not the user's.
 */
export function lastText(
  messages: JsonValue | readonly JsonValue[] | undefined,
  contentOf: (message: Readonly<Record<string, JsonValue>>) => JsonValue | undefined,
): string | undefined {
  const list: readonly JsonValue[] = Array.isArray(messages) ? messages : []
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at]
    const content = isObject(message) ? contentOf(message) : undefined
    const text = Array.isArray(content) ? joinTexts(content) : content
    if (typeof text === 'string') return text
  }
  return undefined
}

/** The content of a message of the user, where messages have a role and a content. */
export function contentOfUser({ role, content }: Readonly<Record<string, JsonValue>>): JsonValue | undefined {
  return role === 'user' ? content : undefined
}

/** The texts of unchecked parts, joined; undefined if there are none. */
function joinTexts(parts: readonly JsonValue[]): string | undefined {
  let joined: string | undefined
  for (const part of parts) {
    const text = isObject(part) ? part['text'] : undefined
    if (typeof text === 'string') joined = joined === undefined ? text : `${joined} ${text}`
  }
  return joined
}

/** The beginning of a value, for messages. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return JSON.stringify(value).slice(0, 60)
}

/**
 * Refuses a conversation that is too long.
 *
 * @throws {Refused}
 * @assumed §8 how long a conversation may be is undocumented; wire §2.4.
 */
export function checkLength({ system = '', turns }: TextRequest, maxCharacters: number): void {
  let length = system.length
  for (const { parts } of turns) for (const part of parts) length += lengthOf(part)
  refuseAbove(length, maxCharacters)
}

/** @throws {Refused} if the texts are too long together. */
export function refuseAbove(length: number, maxCharacters: number): void {
  if (length <= maxCharacters) return
  throw new Refused(`the texts have ${length} characters, at most ${maxCharacters} are taken in one request`)
}

/** The length of a part. Arguments and results of tools count as JSON. */
function lengthOf(part: TurnPart): number {
  if (part.type === 'text') return part.text.length
  if (part.type === 'call') return JSON.stringify(part.args).length
  return part.type === 'result' ? (JSON.stringify(part.value)?.length ?? 0) : 0
}
