import { WrittenJson } from '../kit/answer.ts'

export type Fail = (text: string) => never
export const isContentType = (name: string): boolean => name.toLowerCase() === 'content-type'

/** The media type that a reply has by its headers. */
export function ownTypeOf(headers: Readonly<Record<string, string>> = {}): string | undefined {
  const name = Object.keys(headers).find(isContentType)
  return name === undefined ? undefined : headers[name]
}

export const isJsonType = (type: string): boolean => /json/i.test(type) && !isLinesType(type)
const isLinesType = (type: string): boolean => /jsonl|json-?lines|ndjson/i.test(type)

/** The body as text: JSON, JSON Lines, or a text as it is, by its media type. */
export function toText(body: unknown, type: string, fail: Fail): string | undefined {
  if (body instanceof WrittenJson) return body.text
  if (typeof body === 'string' && !isJsonType(type)) return body
  if (Array.isArray(body) && isLinesType(type)) return body.map((line) => `${toJson(line, fail)}\n`).join('')
  return toJson(body, fail)
}

/** The stack of an error of JSON.stringify names no place in the definition, so its message alone is used. */
function toJson(body: unknown, fail: Fail): string | undefined {
  try {
    return JSON.stringify(body)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}
