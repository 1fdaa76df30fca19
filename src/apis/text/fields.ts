import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import { RequestRefused } from './refused.ts'

/** Fields of a request, read one by one: what is there must be of its kind. `path` names where the object stands. */
export class Fields {
  readonly object: JsonObject
  readonly path: string

  /** @throws {RequestRefused} for anything but an object. */
  constructor(value: JsonValue | undefined, path: string) {
    if (!isObject(value))
      throw new RequestRefused(`${path || 'the body'} must be an object, not ${show(value)}`)
    this.object = value
    this.path = path
  }

  /** The value of a field; null counts as missing. Under its own name, or the same in snake case. */
  get(name: string): JsonValue | undefined {
    const value = this.object[name] ?? undefined
    if (value !== undefined) return value
    const other = toSnakeCase(name)
    return other === name ? undefined : (this.object[other] ?? undefined)
  }

  /** Where a field stands, for messages. */
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

  number(name: string, least: number, most: number): number | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number') throw this.#wrong(name, 'a number', value)
    if (value < least || value > most) throw this.#wrong(name, `from ${least} to ${most}`, value)
    return value
  }

  wholeNumber(name: string, least: number, most: number): number | undefined {
    const value = this.number(name, least, most)
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

  list(name: string, most = Infinity): readonly JsonValue[] | undefined {
    const value = this.get(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw this.#wrong(name, 'an array', value)
    if (value.length > most) {
      throw new RequestRefused(`${this.at(name)} has ${value.length} items, at most ${most} are taken`)
    }
    return value
  }

  texts(name: string, most: number): readonly string[] | undefined {
    return this.list(name, most)?.map((item, index) => {
      if (typeof item === 'string' && item !== '') return item
      throw this.#wrong(`${name}[${index}]`, 'a string that is not empty', item)
    })
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

/** A value in a message: the beginning of it. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return JSON.stringify(value).slice(0, 60)
}

/** The same few names are asked for in each request. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
