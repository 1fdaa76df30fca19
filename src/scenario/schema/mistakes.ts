import * as z from 'zod/mini'
import { nearest, noneOf, suggestKnown } from '../../engine/did-you-mean.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { withOperations } from './known-names.ts'
import {
  isChoice,
  keysOf,
  kindsTaken,
  kindOf,
  optionMeant,
  optionsOf,
  schemaAt,
  literalsOf,
  valueAt,
} from './schema-walk.ts'

/** A mistake in a file. */
export interface Mistake {
  /** The keys and indexes that lead to the mistake. */
  readonly place: readonly PropertyKey[]
  /** Whether the last key of the place is wrong, rather than its value. */
  readonly isKey: boolean
  /** Whether messages must not show this key: it may be a secret that belongs elsewhere. */
  readonly hidesKey?: boolean
  /** The wrong value, shortened. */
  readonly found: string
  /** What is wrong and what to do, without the place and the value. */
  readonly message: string
  /** Whether a required value is missing. */
  readonly isMissing: boolean
}

/** More mistakes help less, and explaining each takes time in proportion to the whole value. */
const maxMistakes = 100

/**
 * Checks a value, and explains its mistakes. If several kinds of value are valid, explains the mistakes of the kind that
 * was probably meant.
 *
 * @param operations what names of operations refer to; without it, any name passes.
 * @returns the value as parsed by the schema, or every mistake.
 */
export function checkAgainst<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  operations?: OperationTable,
): { value: z.output<Schema> } | { mistakes: Mistake[] } {
  return withOperations(operations, () => {
    const checked = schema.safeParse(value)
    if (checked.success) return { value: checked.data }
    return { mistakes: mistakesIn(schema, value, []).slice(0, maxMistakes) }
  })
}

/**
 * The first mistake in a value as a sentence or two; undefined if there is none.
 */
export function firstMistake(
  schema: z.ZodMiniType,
  value: unknown,
  operations?: OperationTable,
): string | undefined {
  const checked = checkAgainst(schema, value, operations)
  return 'value' in checked ? undefined : mistakeSentence(firstOf(checked.mistakes), 'it')
}

/** The mistake to mention alone: a misspelt key explains why another key is missing. */
export function firstOf(mistakes: readonly Mistake[]): Mistake {
  return mistakes.find(({ isKey }) => isKey) ?? mistakes[0]!
}

/** The place of a mistake, as messages show it. */
export function placeToShow({ place, hidesKey }: Mistake): readonly PropertyKey[] {
  return hidesKey ? [...place.slice(0, -1), '…'] : place
}

/** @param root the name of the checked value. */
export function mistakeSentence(mistake: Mistake, root: string): string {
  const { place, isKey, isMissing, found, message } = mistake
  const path = placeToShow(mistake).map(String).join('.') || root
  const end = /[.!?]$/.test(message) ? '' : '.'
  if (isKey) return `${path} ${message}${end}`
  return isMissing && place.length > 0
    ? `${path} is missing: ${message}${end}`
    : `${path} is ${found}: ${message}${end}`
}

/** @param place the place of `value`. */
function mistakesIn(schema: z.core.$ZodType, value: unknown, place: readonly PropertyKey[]): Mistake[] {
  const unions = new Set<string>()
  const { error } = z.safeParse(schema, value, { error: explainIssue })
  return (error?.issues ?? []).slice(0, maxMistakes).flatMap((issue) => {
    // An unknown key fits no kind of its value, so the value is the place.
    const path = issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path
    const choice = firstChoice(schema, value, path)
    if (!choice) return explain(issue, schema, value, place)
    // One explanation covers all issues of a value of several possible kinds.
    const where = JSON.stringify(issue.path.slice(0, choice.depth))
    if (unions.has(where)) return []
    unions.add(where)
    return explainChoice(issue, choice, [...place, ...issue.path.slice(0, choice.depth)])
  })
}

/** A place where several kinds of value are valid, and its value. */
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
  // The schema's own message is better.
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
  const words = fitting.flatMap(literalsOf)
  const onlyWords = fitting.length > 1 && fitting.every((option) => literalsOf(option).length > 0)
  if (onlyWords && !words.includes(value)) return [mistakeAt(place, value, noneOf(value, words))]
  const meant =
    fitting.find((option) => literalsOf(option).includes(value)) ??
    optionMeant(options, value) ??
    (fitting.length === 1 ? fitting[0] : undefined)
  if (meant) {
    const inside = mistakesIn(meant, value, place)
    return inside.length > 0 ? inside : [mistakeAt(place, value, issue.message)]
  }
  const keys = Object.keys(value as object)
  if (keys.length > 0) return unknownKeys(keys, schema, place)
  return [mistakeAt(place, value, `needs one of ${keysIn(schema).join(', ')}`)]
}

/** @param place the place of `value`, from which the issue's path counts. `schema` describes that place. */
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
    return unknownKeys(issue.keys, meant, whole)
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues[0]?.message ?? issue.message
    return [
      { ...mistakeAt(whole, issue.path.at(-1), message), isKey: true, message: `can't be a key: ${message}` },
    ]
  }
  // The kinds differ by a word, and the value has none of these words.
  const words = issue.code === 'invalid_union' && 'options' in issue ? issue.options : undefined
  return [mistakeAt(whole, found, words ? noneOf(found, words) : issue.message)]
}

/** Whether messages must not show the value of a place: it is a key or a token, or contains one. */
function isSecret(place: readonly PropertyKey[]): boolean {
  // A scenario has a config as well.
  const [first, ...rest] = place[0] === 'config' ? place.slice(1) : place
  return first === 'controlToken' || (first === 'keys' && (rest.length < 2 || rest[1] === 'key'))
}

function mistakeAt(place: readonly PropertyKey[], value: unknown, message: string): Mistake {
  return {
    place,
    isKey: false,
    found: isSecret(place) ? describeSecret(value) : shorten(value),
    isMissing: value === undefined || value === null,
    message,
  }
}

/** The kind of a value that messages must not show. */
function describeSecret(value: unknown): string {
  return typeof value === 'string' ? '"…"' : kindWord(kindOf(value))
}

function unknownKeys(
  keys: readonly string[],
  schema: z.core.$ZodType | undefined,
  place: readonly PropertyKey[],
): Mistake[] {
  const known = keysIn(schema)
  return keys.slice(0, maxMistakes).map((key) => ({
    place: [...place, key],
    isKey: true,
    hidesKey: isSecret(place) && nearest(key, known) === undefined,
    found: '',
    isMissing: false,
    message: `is not known.${suggestKnown(key, known, 'Known here')}`,
  }))
}

/** The valid keys of a place, of all kinds of value together. */
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
    // Anchors of YAML and code can create values that contain themselves, and code very large whole numbers.
    return typeof value === 'object' ? "a value that JSON can't represent" : String(value).slice(0, 60)
  }
}

const kinds: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  tuple: 'a list',
  string: 'a text',
  number: 'a number',
  bigint: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

/** The everyday word for a kind of value. */
function kindWord(kind: string): string {
  return kinds[kind] ?? kind
}

/** Explains single issues; undefined if the schema's own message is better. */
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
