import { isPromise } from '../../engine/maybe-promise.ts'
import { definitionError } from '../../gateway/replies/errors.ts'
import { ReplyAnswer } from './answer.ts'

export const noPromises =
  "it returns a promise. Functions of a definition can't be async: return the value itself"

/**
 * Calls a function of a definition.
 * @param part the key of the function, such as `reply`.
 * @throws {GatewayError} 500 for any error of the function, and for a promise. It names the operation and the place in the
 * file.
 */
export function callDefined<Result>(operation: string, part: string, call: () => Result): Result {
  try {
    const made = call()
    if (!dropPromises(made)) return made
  } catch (error) {
    throw definitionError(operation, part, error)
  }
  throw definitionError(operation, part, noPromises)
}

/**
 * Whether a value is a promise, or has one in its lists and objects. Their rejections are ignored: an unhandled one would
 * end the process.
 */
export function dropPromises(value: unknown, visited = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || visited.has(value)) return false
  visited.add(value)
  if (isPromise(value)) {
    value.then(undefined, () => {})
    return true
  }
  if (!Array.isArray(value) && !isPlain(value)) return false
  let hasPromise = false
  for (const each of Object.values(value)) hasPromise = dropPromises(each, visited) || hasPromise
  return hasPromise
}

/** A `Map` or bytes have no promises for JSON. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return value instanceof ReplyAnswer || prototype === null || !Object.getPrototypeOf(prototype as object)
}
