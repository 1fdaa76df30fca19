import { configSchema } from '../../scenario/vocabulary/config-schema.ts'
import { checkAgainst } from '../../scenario/vocabulary/mistakes.ts'
import type { Config } from './config.ts'

/** Something in a config that can't be used. */
export interface Mistake {
  /** The keys and indexes that lead to it. */
  readonly place: readonly PropertyKey[]
  /** Whether the last key of the place is the mistake; else its value is. */
  readonly isKey: boolean
  /** What is wrong, with which value, and what to do. It begins with the place. */
  readonly message: string
}

/**
 * Checks what a config file says, whatever language it is written in.
 * @returns the config, or every mistake in it.
 */
export function checkValue(value: unknown): { config: Config } | { mistakes: Mistake[] } {
  if (typeof value === 'object' && value !== null && 'version' in value) {
    const message = 'version is a key of scenarios. Play the file by serve --scenario, or by greenroom run.'
    return { mistakes: [{ place: ['version'], isKey: true, message }] }
  }
  const checked = checkAgainst(configSchema, value)
  if ('value' in checked) return { config: checked.value as Config }
  return {
    mistakes: checked.mistakes.map(({ place, isKey, found, message }) => {
      const name = place.length === 0 ? 'the config' : place.map(String).join('.')
      return { place, isKey, message: isKey ? `${name} ${message}` : `${name} is ${found}: ${message}` }
    }),
  }
}
