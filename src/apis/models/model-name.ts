import { abortError } from '../../gateway/replies/errors.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'

/** Longer names name nothing, and would be kept with each task. */
export const maxModelNameLength = 256

/**
 * The model that a body names.
 * @assumed §7 the answers to a missing model, and to one that is no text, are not shown; wire §2.2.
 * @throws {GatewayError}
 */
export function requireModelName(value: JsonValue | undefined): string {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw abortError(400, 'Invalid request: Invalid request: field model must be a string')
  }
  if (!value) throw abortError(400, 'Model name not specified, model name cannot be empty')
  if (value.length > maxModelNameLength) {
    const said = `field model has ${value.length} characters, at most ${maxModelNameLength} are taken`
    throw abortError(400, `Invalid request: Invalid request: ${said}`)
  }
  return value
}
