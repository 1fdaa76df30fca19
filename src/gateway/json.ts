export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = Readonly<Record<string, JsonValue | undefined>>

/** Deeper than this nobody means it, and walking it would cost us the stack. */
export const deepest = 100

/** More values than this nobody means either: each costs far more time and memory than its few bytes. */
export const mostValues = 100_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Bytes as text; undefined when they aren't UTF-8. */
export function wellFormed(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes or text as a JSON object; undefined when they are anything else, nested too deep or of too many values. */
export function parseObject(source: Uint8Array | string, most = mostValues): JsonObject | undefined {
  try {
    const text = typeof source === 'string' ? source : wellFormed(source)
    if (text === undefined || hasTooMany(text, most)) return undefined
    const value = JSON.parse(text) as JsonValue
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !isDeeper(value, deepest) ? value : undefined
  } catch {
    return undefined
  }
}

/** Goes no further down than that, since depth is just what can't be trusted. */
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

/** Counts what begins or separates values, without parsing any; strings are jumped over. */
export function hasTooMany(text: string, most = mostValues): boolean {
  if (text.length <= most) return false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at + 1)
      if (at < 0) return false
    } else if (code === comma || code === openBracket || code === openBrace) {
      if (++count > most) return true
    }
  }
  return false
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const openBrace = 0x7b

/** Where the quote is that ends a string; -1 when there is none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (end - slashes > from && text.charCodeAt(end - slashes - 1) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}
