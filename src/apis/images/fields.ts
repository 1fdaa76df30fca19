import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import { invalidField } from './refusals.ts'

/**
 * Reads the fields of a body, and refuses bad ones by name. A field that is null counts as missing.
 * @throws {GatewayError}
 */
export class ImageFields {
  readonly #body: JsonObject
  readonly #isForm: boolean

  /** @param isForm whether all values are texts, numbers and booleans, too. */
  constructor(body: JsonObject, isForm: boolean) {
    this.#body = body
    this.#isForm = isForm
  }

  get(name: string): JsonValue | undefined {
    return this.#body[name] ?? undefined
  }

  text(name: string): string | undefined {
    const value = this.get(name)
    if (value === undefined || typeof value === 'string') return value
    throw wrongType(name, 'a string', value)
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.#number(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number') throw wrongType(name, 'an integer', value)
    if (!Number.isInteger(value)) throw wrongType(name, 'an integer', 'a decimal number')
    if (value < min) throw outside(name, `below minimum value. Expected a value >= ${min}`, value)
    if (value > max) throw outside(name, `above maximum value. Expected a value <= ${max}`, value)
    return value
  }

  boolean(name: string): boolean | undefined {
    const given = this.get(name)
    const value = this.#isForm && (given === 'true' || given === 'false') ? given === 'true' : given
    if (value === undefined || typeof value === 'boolean') return value
    throw wrongType(name, 'a boolean', value)
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name)
    const known = words.find((word) => word === value)
    if (value === undefined || known !== undefined) return known
    throw unsupported(name, value, words)
  }

  #number(name: string): JsonValue | undefined {
    const value = this.get(name)
    if (!this.#isForm || typeof value !== 'string' || value.trim() === '') return value
    const number = Number(value)
    return Number.isFinite(number) ? number : value
  }
}

/** @param value what was sent, or what to call it. */
function wrongType(name: string, type: string, value: JsonValue): Error {
  const found = value === 'a decimal number' ? value : typeName(value)
  return invalidField(
    name,
    'invalid_type',
    `Invalid type for '${name}': expected ${type}, but got ${found} instead.`,
  )
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' && Number.isInteger(value) ? 'an integer' : `a ${typeof value}`
}

function outside(name: string, problem: string, value: number): Error {
  const code = problem.startsWith('above') ? 'integer_above_max_value' : 'integer_below_min_value'
  return invalidField(name, code, `Invalid '${name}': integer ${problem}, but got ${value} instead.`)
}

/** The refusal of a word that is none of those supported. */
export function unsupported(name: string, value: string, words: readonly string[]): Error {
  const [last, ...others] = words.map((word) => `'${word}'`).toReversed()
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
  const given = value.slice(0, 60)
  return invalidField(name, 'invalid_value', `Invalid value: '${given}'. Supported values are: ${list}.`)
}

/** The refusal of a field that must be there. */
export function missing(name: string): Error {
  return invalidField(name, 'missing_required_parameter', `Missing required parameter: '${name}'.`)
}

/** @throws {GatewayError} for a text that is too long. */
export function checkLength(name: string, { length }: string, max: number): void {
  if (length <= max) return
  throw invalidField(
    name,
    'string_above_max_length',
    `Invalid '${name}': string too long. Expected a string with maximum length ${max}, ` +
      `but got a string with length ${length} instead.`,
  )
}
