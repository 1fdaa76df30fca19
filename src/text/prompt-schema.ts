import { isFromUser, textOf } from './reading.ts'
import type { DeclaredSchema, TextRequest } from './spec.ts'

/** A JSON schema in a prompt. */
interface PromptSchema {
  readonly schema: DeclaredSchema
  /** Whether the answer belongs in a code block. */
  readonly isFenced: boolean
  /** The prompt without the instructions about the format. */
  readonly prompt: string
}

/** Longer texts are not searched. */
const maxLength = 200_000
/** How many unclosed braces are skipped. */
const maxRestarts = 20

const answering = 'respond|reply|answer|output|return|provide|produce|generate|format(?:ted)?|adheres?|conforms?|match(?:es)?|follow|instance|parsed' // prettier-ignore
const asksForJson = RegExp(
  `\\b(?:${answering})\\b[^.!?]{0,200}\\bjson\\b|\\bjson\\b[^.!?]{0,200}\\b(?:${answering})\\b`,
  'i',
)
const asksForFence = /code ?block|(?:in|within|inside|using)\s+(?:a\s+)?```json/i
/** Instructions about the format, which do not describe the topic of the answer. */
const instruction = /\bjson\b|\bschemas?\b|```|code ?block|\bpropert(?:y|ies)\b|well-formatted/i

/**
 * Finds the JSON schema of the answer in the system and user messages. Clients without structured output write it there.
 * The last one counts, because examples come first.
 *
 * @param prompt the last user text without directives.
 */
export function findPromptSchema(
  { output, system = '', turns }: TextRequest,
  prompt: string,
): PromptSchema | undefined {
  if (output.kind !== 'text' && output.kind !== 'json') return undefined
  const texts = [
    system,
    ...turns
      .filter(isFromUser)
      .slice(0, -1)
      .map(({ parts }) => textOf(parts)),
    prompt,
  ]
  // A quick check, because few prompts have a schema.
  if (!texts.some((text) => text.includes('{') && /["']type["']|\$ref/.test(text))) return undefined
  const instructions = texts.map((text) => (text.length <= maxLength ? text : ''))
  const found = instructions.flatMap(readObjects).findLast(({ value }) => isSchema(value))
  const asks = output.kind === 'json' || instructions.some((text) => asksForJson.test(text))
  if (found === undefined || !asks) return undefined
  const isFenced = output.kind === 'text' && instructions.some((text) => asksForFence.test(text))
  return {
    schema: { dialect: 'json-schema', schema: found.value },
    isFenced,
    prompt: withoutInstructions(prompt),
  }
}

interface FoundObject {
  value: unknown
  start: number
  end: number
}

/** The outermost JSON objects of a text. */
function readObjects(text: string): FoundObject[] {
  const found: FoundObject[] = []
  let from = 0
  for (let restarts = 0; restarts < maxRestarts;) {
    const start = text.indexOf('{', from)
    if (start < 0) break
    const end = objectEnd(text, start)
    const value = end < 0 ? undefined : parseObject(text.slice(start, end))
    if (value === undefined) restarts++
    else found.push({ value, start, end })
    from = value === undefined ? start + 1 : end
  }
  return found
}

/** The end of an object, found by its braces outside of strings; -1 if there is none. */
function objectEnd(text: string, start: number): number {
  let depth = 0
  const token = /"(?:[^"\\]|\\.)*"|[{}]/gs
  token.lastIndex = start
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '{') depth++
    else if (match[0] === '}' && --depth === 0) return token.lastIndex
  }
  return -1
}

function parseObject(source: string): unknown {
  try {
    return JSON.parse(source) as unknown
  } catch {
    return undefined
  }
}

/** Whether an object is a schema of objects or arrays, as clients request. */
function isSchema(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { type, properties, items, $ref, $defs, anyOf, oneOf, allOf } = value as Record<string, unknown>
  if (typeof properties === 'object' && properties !== null) return type === undefined || type === 'object'
  if (type === 'array') return typeof items === 'object'
  return (typeof $ref === 'string' && typeof $defs === 'object') || [anyOf, oneOf, allOf].some(Array.isArray)
}

function withoutInstructions(prompt: string): string {
  let rest = ''
  let from = 0
  for (const { start, end } of readObjects(prompt)) {
    rest += prompt.slice(from, start)
    from = end
  }
  rest += prompt.slice(from)
  const without = (parts: string[], glue: string): string =>
    parts
      .filter((part) => !instruction.test(part))
      .join(glue)
      .trim()
  return without(rest.split('\n'), '\n') || without(rest.split(/(?<=[.!?])\s+/), ' ')
}
