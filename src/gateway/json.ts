export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = Readonly<Record<string, JsonValue | undefined>>

/** Deeper than this nobody means it, and walking it would cost us the stack. */
const deepest = 100

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Bytes or text as a JSON object; undefined when they are anything else, or nested too deep to be walked. */
export function parseObject(source: Uint8Array | string): JsonObject | undefined {
  try {
    const text = typeof source === 'string' ? source : decoder.decode(source)
    const value = JSON.parse(text) as JsonValue
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && depthOf(value) <= deepest ? value : undefined
  } catch {
    return undefined
  }
}

/** Walks without recursion, since depth is just what can't be trusted. */
function depthOf(value: JsonValue): number {
  let level: JsonValue[] = [value]
  let depth = 0
  while (level.length > 0 && depth <= deepest) {
    depth++
    const below: JsonValue[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Object.values(item)) below.push(child)
    }
    level = below
  }
  return depth
}
