import { isPromise } from '../../../engine/maybe-promise.ts'
import { definitionError, GatewayError } from '../../../gateway/replies/errors.ts'
import { Answer } from './answer.ts'
import { Refused } from './refused.ts'
import { runWatched } from '../../define/watched-functions.ts'

export const noPromises =
  "it returns a promise. Functions of a definition can't be async: return the value itself"

/**
 * Calls a function of a definition.
 * @param part the key of the function, such as `reply`.
 * @throws {GatewayError} its refusal; and 500 for any other error of the function, and for a promise. It names the operation and the place in the
 * file.
 */
export function callDefined<Result>(operation: string, part: string, call: () => Result): Result {
  try {
    const made = runWatched(operation, part, call)
    if (!dropPromises(made)) return made
  } catch (error) {
    if (error instanceof Refused || error instanceof GatewayError) throw error
    throw definitionError(operation, part, error)
  }
  throw definitionError(operation, part, noPromises)
}

/** No reply is nested deeper, unless it contains itself. */
const maxDepth = 100

/**
 * Whether a value is a promise, or has one in its lists and objects. Their rejections are ignored: an unhandled one would
 * end the process.
 */
export function dropPromises(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false
  if (isPromise(value)) {
    value.then(undefined, () => {})
    return true
  }
  let hasPromise = false
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[])
      if (typeof each === 'object') hasPromise = dropPromises(each, depth + 1) || hasPromise
    return hasPromise
  }
  if (!isPlain(value)) return false
  // A loop over the names makes no list of values, which each reply would pay for.
  for (const name in value) {
    const each = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof each === 'object') hasPromise = dropPromises(each, depth + 1) || hasPromise
  }
  return hasPromise
}

/** A `Map` or bytes have no promises for JSON. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null || prototype === Answer.prototype) return true
  return !Object.getPrototypeOf(prototype as object)
}
