import * as z from 'zod/mini'
import { didYouMean, suggestKnown } from '../../engine/did-you-mean.ts'
import {
  isChoice,
  keysOf,
  kindsTaken,
  kindOf,
  optionMeant,
  optionsOf,
  schemaAt,
  wordsOf,
} from './schema-walk.ts'

/** Something in a file that can't be used. */
export interface Mistake {
  /** The keys and indexes that lead to it. */
  readonly place: readonly PropertyKey[]
  /** Whether the last key of the place is the mistake; else its value is. */
  readonly isKey: boolean
  /** The value that stands there, shortened. */
  readonly found: string
  /** What is wrong and what to do, without place and value. */
  readonly message: string
  /** Whether there is nothing where something must be. */
  readonly isMissing: boolean
}

/** A longer list helps less, and to explain each takes time in proportion to the whole value. */
const maxMistakes = 100

/**
 * Checks a value and explains what is wrong with it. Where several kinds of value are possible, the mistakes
 * are those of the kind that was probably meant.
 *
 * @returns the value as the schema gives it back, or every mistake.
 */
export function checkAgainst<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): { value: z.output<Schema> } | { mistakes: Mistake[] } {
  const checked = schema.safeParse(value)
  if (checked.success) return { value: checked.data }
  return { mistakes: mistakesIn(schema, value, []).slice(0, maxMistakes) }
}

/**
 * The first mistake in a value as a sentence or two; undefined if there is none.
 */
export function firstMistake(schema: z.ZodMiniType, value: unknown): string | undefined {
  const checked = checkAgainst(schema, value)
  if ('value' in checked) return undefined
  // A misspelt key explains why another is missing.
  return mistakeSentence(checked.mistakes.find(({ isKey }) => isKey) ?? checked.mistakes[0]!, 'it')
}

/** @param root the name of the checked value itself. */
export function mistakeSentence({ place, isKey, isMissing, found, message }: Mistake, root: string): string {
  const path = place.map(String).join('.') || root
  const end = /[.!?]$/.test(message) ? '' : '.'
  if (isKey) return `${path} ${message}${end}`
  return isMissing && place.length > 0
    ? `${path} is missing: ${message}${end}`
    : `${path} is ${found}: ${message}${end}`
}

/** @param place where `value` stands. */
function mistakesIn(schema: z.core.$ZodType, value: unknown, place: readonly PropertyKey[]): Mistake[] {
  const unions = new Set<string>()
  const { error } = z.safeParse(schema, value, { error: explainIssue })
  return (error?.issues ?? []).slice(0, maxMistakes).flatMap((issue) => {
    // A key that can't be is none of the kinds that its value may be of.
    const path = issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path
    const choice = firstChoice(schema, value, path)
    if (!choice) return explain(issue, schema, value, place)
    // One explanation covers all issues of a value that may be of several kinds.
    const where = JSON.stringify(issue.path.slice(0, choice.depth))
    if (unions.has(where)) return []
    unions.add(where)
    return explainChoice(issue, choice, [...place, ...issue.path.slice(0, choice.depth)])
  })
}

/** A place where several kinds of value are taken, with what stands there. */
interface Choice {
  readonly schema: z.core.$ZodType
  readonly value: unknown
  readonly depth: number
}

function firstChoice(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
): Choice | undefined {
  for (let depth = 0; depth <= path.length; depth++) {
    const above = path.slice(0, depth)
    const here = schemaAt(schema, value, above)
    if (here && isChoice(here)) return { schema: here, value: valueAt(value, above), depth }
  }
  return undefined
}

function explainChoice(
  issue: z.core.$ZodIssue,
  { schema, value, depth }: Choice,
  place: readonly PropertyKey[],
): Mistake[] {
  const options = optionsOf(schema)!
  // The schema says better itself what it wants.
  const own = issue.path.length === depth && issue.message !== 'Invalid input'
  if (own && (issue.code === 'invalid_union' || issue.code === 'custom'))
    return [mistakeAt(place, value, issue.message)]
  const taken = [...new Set(kindsTaken(schema))]
  const kind = kindOf(value)
  if (!taken.includes(kind)) {
    const wanted = orList(taken.map((each) => kindWord(each)))
    return [mistakeAt(place, value, `must be ${wanted}`)]
  }
  const fitting = options.filter((option) => kindsTaken(option).includes(kind))
  const words = fitting.flatMap(wordsOf)
  const onlyWords = fitting.length > 1 && fitting.every((option) => wordsOf(option).length > 0)
  if (onlyWords && !words.includes(value)) return [mistakeAt(place, value, noneOf(value, words))]
  const meant =
    fitting.find((option) => wordsOf(option).includes(value)) ??
    optionMeant(options, value) ??
    (fitting.length === 1 ? fitting[0] : undefined)
  if (meant) {
    const inside = mistakesIn(meant, value, place)
    return inside.length > 0 ? inside : [mistakeAt(place, value, issue.message)]
  }
  const known = keysIn(schema)
  const keys = Object.keys(value as object)
  if (keys.length > 0) return unknownKeys(keys, known, place)
  return [mistakeAt(place, value, `needs one of ${known.join(', ')}`)]
}

/** @param place where `value` stands, which `schema` is for and the issue's path counts from. */
function explain(
  issue: z.core.$ZodIssue,
  schema: z.core.$ZodType,
  value: unknown,
  place: readonly PropertyKey[],
): Mistake[] {
  const whole = [...place, ...issue.path]
  const found = valueAt(value, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const here = schemaAt(schema, value, issue.path)
    const meant = here && (optionMeant(optionsOf(here) ?? [], found) ?? here)
    return unknownKeys(issue.keys, keysIn(meant), whole)
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues[0]?.message ?? issue.message
    return [
      { ...mistakeAt(whole, issue.path.at(-1), message), isKey: true, message: `can't be a key: ${message}` },
    ]
  }
  // A word tells the kinds apart, and is none of them.
  const words = issue.code === 'invalid_union' && 'options' in issue ? issue.options : undefined
  return [mistakeAt(whole, found, words ? noneOf(found, words) : issue.message)]
}

/** Whether no message may show the value: it is a key or a token, or stands where one belongs. */
function isSecret([first, ...rest]: readonly PropertyKey[], value: unknown): boolean {
  if (typeof value !== 'string') return false
  return first === 'controlToken' || (first === 'keys' && (rest.length < 2 || rest[1] === 'key'))
}

function mistakeAt(place: readonly PropertyKey[], value: unknown, message: string): Mistake {
  return {
    place,
    isKey: false,
    found: isSecret(place, value) ? '"…"' : shorten(value),
    isMissing: value === undefined || value === null,
    message,
  }
}

function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  )
}

function unknownKeys(
  keys: readonly string[],
  known: readonly string[],
  place: readonly PropertyKey[],
): Mistake[] {
  return keys.slice(0, maxMistakes).map((key) => ({
    place: [...place, key],
    isKey: true,
    found: '',
    isMissing: false,
    message: movedKey([...place, key]) ?? `is not known.${suggestKnown(key, known, 'Known here')}`,
  }))
}

/** What to write for a key of former versions that is elsewhere now. */
function movedKey(place: readonly PropertyKey[]): string | undefined {
  if (!place.join('.').endsWith('limits.rate')) return undefined
  return 'is a throttle now. Write throttles: [{ match: { op: [chat.*, text.*] }, rate: { requests: 60, per: 1m } }].'
}

/** The keys that may stand there, of whatever kind it is. */
function keysIn(schema: z.core.$ZodType | undefined): string[] {
  if (!schema) return []
  const options = optionsOf(schema)
  return [...new Set(options ? options.flatMap(keysIn) : (keysOf(schema) ?? []))]
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function shorten(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  try {
    return (JSON.stringify(value ?? null) ?? String(value)).slice(0, 60)
  } catch {
    // Code can make what JSON has no words for: circles and very large whole numbers.
    return String(value).slice(0, 60)
  }
}

const kinds: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  tuple: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

/** A kind of value as people call it. */
function kindWord(kind: string): string {
  return kinds[kind] ?? kind
}

/** What a value must be instead, when only certain words may stand there. */
function noneOf(found: unknown, words: readonly unknown[]): string {
  const known = [...new Set(words)].map(String)
  const hint = typeof found === 'string' ? didYouMean(found, known) : ''
  return known.length === 1 ? `must be ${known[0]}` : `must be one of ${known.join(', ')}.${hint}`
}

/** How single mistakes are explained; undefined where the schema says it best. */
const explainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindWord(issue.expected)}`
    case 'invalid_value':
      return noneOf(issue.input, issue.values)
    case 'too_small':
      return amount(issue.origin, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum))
    case 'too_big':
      return amount(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum))
    default:
      return undefined
  }
}

function amount(origin: string, bound: string, limit: number): string {
  if (origin === 'string')
    return limit === 1 && bound === 'at least'
      ? 'must not be empty'
      : `must have ${bound} ${limit} characters`
  if (origin === 'array')
    return limit === 1 && bound === 'at least' ? 'must not be empty' : `must have ${bound} ${limit} entries`
  return `must be ${bound} ${limit}`
}
