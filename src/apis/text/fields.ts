import { WorkRefused } from '../../engine/work-budget.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { relayError, upstreamError } from '../../gateway/replies/errors.ts'
import { SchemaRefused, type TextRequest, type TurnPart } from '../../text/spec.ts'

/** Thrown for an invalid request, before the refusal is put into an envelope. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  /** The part that refuses. The gateway checks little, the service behind it everything else. */
  readonly by: 'gateway' | 'upstream'

  constructor(message: string, by: 'gateway' | 'upstream' = 'upstream') {
    super(message)
    this.by = by
  }
}

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
 * @assumed §7 the responses to bad requests are undocumented; wire §2.4: the gateway's own refusals really have status 500.
 */
export function guardFor({ clientErrorStatus }: Quirks, words: UpstreamWords): Guard {
  return (run) => {
    try {
      return run()
    } catch (error) {
      if (error instanceof SchemaRefused)
        throw upstreamError(400, error.message, error.strict ? { ...words, ...error.strict } : words)
      if (error instanceof WorkRefused) throw upstreamError(400, error.message, words)
      if (!(error instanceof RequestRefused)) throw error
      throw error.by === 'upstream'
        ? upstreamError(400, error.message, words)
        : relayError(clientErrorStatus, 'invalid_request', error.message)
    }
  }
}

/** Reads the fields of an object and checks their types. `path` is the place of the object. */
export class Fields {
  readonly object: JsonObject
  readonly path: string
  #hasSnakeCase: boolean | undefined

  /** @throws {RequestRefused} for anything but an object. */
  constructor(value: JsonValue | undefined, path: string) {
    if (!isObject(value))
      throw new RequestRefused(`${path || 'the body'} must be an object, not ${show(value)}`)
    this.object = value
    this.path = path
  }

  /** The value of a field, whose name may also be in snake case. Null counts as missing. */
  get(name: string): JsonValue | undefined {
    const value = this.object[name] ?? undefined
    if (value !== undefined) return value
    this.#hasSnakeCase ??= Object.keys(this.object).some((each) => each.includes('_'))
    return this.#hasSnakeCase ? (this.object[toSnakeCase(name)] ?? undefined) : undefined
  }

  /** The path of a field, for messages. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  text(name: string): string | undefined {
    const value = this.get(name)
    if (value === undefined || typeof value === 'string') return value
    throw this.#wrong(name, 'a string', value)
  }

  boolean(name: string): boolean | undefined {
    const value = this.get(name)
    if (value === undefined || typeof value === 'boolean') return value
    throw this.#wrong(name, 'a boolean', value)
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number') throw this.#wrong(name, 'a number', value)
    if (value < min || value > max) throw this.#wrong(name, `from ${min} to ${max}`, value)
    return value
  }

  wholeNumber(name: string, min: number, max: number): number | undefined {
    const value = this.number(name, min, max)
    if (value === undefined || Number.isInteger(value)) return value
    throw this.#wrong(name, 'a whole number', value)
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const known = words.find((word) => word === value)
    if (known === undefined) throw this.#wrong(name, `one of ${words.join(', ')}`, value)
    return known
  }

  list(name: string, max = Infinity): readonly JsonValue[] | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw this.#wrong(name, 'an array', value)
    if (value.length > max) {
      throw new RequestRefused(`${this.at(name)} has ${value.length} items, at most ${max} are taken`)
    }
    return value
  }

  texts(name: string, max: number): readonly string[] | undefined {
    return this.list(name, max)?.map((item, index) => {
      if (typeof item === 'string' && item !== '') return item
      throw this.#wrong(`${name}[${index}]`, 'a string that is not empty', item)
    })
  }

  /** A JSON Schema, which may be true or false. Its content is checked later. */
  schema(name: string): JsonValue | undefined {
    const value = this.get(name)
    if (value === undefined || typeof value === 'boolean' || isObject(value)) return value
    throw this.#wrong(name, 'a schema', value)
  }

  /** The fields of an object in a field. */
  within(name: string): Fields | undefined {
    const value = this.get(name)
    return value === undefined ? undefined : new Fields(value, this.at(name))
  }

  #wrong(name: string, what: string, value: JsonValue): RequestRefused {
    return new RequestRefused(`field ${this.at(name)} must be ${what}, not ${show(value)}`)
  }
}

export function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The texts of unchecked parts, joined; undefined if there are none. */
export function joinTexts(parts: readonly JsonValue[]): string | undefined {
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

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toLowerCase()
}

/**
 * Refuses a conversation that is too long.
 *
 * @throws {RequestRefused}
 * @assumed §8 how long a conversation may be is undocumented; wire §2.4.
 */
export function checkLength({ system = '', turns }: TextRequest, maxCharacters: number): void {
  let length = system.length
  for (const { parts } of turns) for (const part of parts) length += lengthOf(part)
  refuseAbove(length, maxCharacters)
}

/** @throws {RequestRefused} if the texts are too long together. */
export function refuseAbove(length: number, maxCharacters: number): void {
  if (length <= maxCharacters) return
  throw new RequestRefused(
    `the texts have ${length} characters, at most ${maxCharacters} are taken in one request`,
  )
}

/** The length of a part. Arguments and results of tools count as JSON. */
function lengthOf(part: TurnPart): number {
  if (part.type === 'text') return part.text.length
  if (part.type === 'call') return JSON.stringify(part.args).length
  return part.type === 'result' ? (JSON.stringify(part.value)?.length ?? 0) : 0
}
