import type * as z from 'zod/mini'
import { nearest, noneOf, suggestKnown } from '../../engine/did-you-mean.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { withOperations } from './known-names.ts'
import type { ReadValue, ValueMisfit, FieldPlace } from './misfit.ts'
import { compileReader } from './reader.ts'
import { keysOf, kindOf, kindsTaken, optionsOf } from './schema-walk.ts'

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

const readers = new WeakMap<z.core.$ZodType, ReadValue>()
const firstMisfit = new Error('a value does not fit')

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
    let read = readers.get(schema)
    if (!read) readers.set(schema, (read = compileReader(schema, { note: stop })))
    try {
      return { value: read(value, undefined, '') as z.output<Schema> }
    } catch (error) {
      if (error !== firstMisfit) throw error
      return { mistakes: mistakesIn(schema, value) }
    }
  })
}

function stop(): never {
  throw firstMisfit
}

function mistakesIn(schema: z.core.$ZodType, value: unknown): Mistake[] {
  const mistakes: Mistake[] = []
  const note = (misfit: ValueMisfit): void => {
    mistakes.push(...explain(misfit))
    if (mistakes.length >= maxMistakes) stop()
  }
  try {
    compileReader(schema, { note })(value, undefined, '')
  } catch (error) {
    if (error !== firstMisfit) throw error
  }
  return mistakes.slice(0, maxMistakes)
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

function explain(misfit: ValueMisfit): Mistake[] {
  const { value, issue, schema, sentence, isKey } = misfit
  const place = placeOf(misfit)
  if (issue.code === 'unrecognized_keys') {
    const known = keysIn(schema)
    return issue.keys.length === 0
      ? [mistakeAt(place, value, `needs one of ${known.join(', ')}`)]
      : unknownKeys(issue.keys, known, place)
  }
  const message = sentence ?? explainIssue(issue, schema)
  const mistake = mistakeAt(place, value, isKey ? `can't be a key: ${message}` : message)
  return [isKey ? { ...mistake, isKey } : mistake]
}

function placeOf({ holder, key }: FieldPlace): PropertyKey[] {
  return holder ? [...placeOf(holder), key] : []
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
  known: readonly string[],
  place: readonly PropertyKey[],
): Mistake[] {
  return keys.slice(0, maxMistakes).map((key) => ({
    place: [...place, key],
    isKey: true,
    hidesKey: isSecret(place) && nearest(key, known) === undefined,
    found: '',
    isMissing: false,
    message: `is not known.${formerKey(key, known) ?? suggestKnown(key, known, 'Known here')}`,
  }))
}

/** Suggests the present name of a key that has another one since 0.3.0. */
const formerKey = (key: string, known: readonly string[]): string | undefined =>
  key === 'channel' && known.includes('kind') ? ' Write "kind" in its place.' : undefined

/** The valid keys of a place, of all kinds of value together. */
function keysIn(schema: z.core.$ZodType): string[] {
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

/** What is wrong with a value, if its schema has no sentence. */
function explainIssue(issue: z.core.$ZodRawIssue, schema: z.core.$ZodType): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === ('union' as never)
        ? `must be ${orList([...new Set(kindsTaken(schema))].map(kindWord))}`
        : `must be ${kindWord(issue.expected)}`
    case 'invalid_value':
      return noneOf(issue.input, issue.values)
    case 'too_small':
      return amount(issue.origin, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum))
    case 'too_big':
      return amount(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum))
    default:
      return 'Invalid input'
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
