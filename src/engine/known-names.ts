import { didYouMean } from './did-you-mean.ts'

/** All names of a type, so that the compiler misses one that is forgotten. */
export type NamesOf<Type> = Readonly<Record<keyof Type & string, true>>

/**
 * What is wrong with a value from plain JavaScript that is to be a mapping of known names. No compiler looked at it, and a
 * name nobody knows would be taken silently.
 *
 * @returns a sentence; nothing where all names are known.
 */
export function nameProblem(given: unknown, known: Readonly<Record<string, true>>): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return `it must be a mapping, not ${Array.isArray(given) ? 'a list' : String(given).slice(0, 60)}.`
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (stranger === undefined) return undefined
  const names = Object.keys(known)
  return `"${stranger.slice(0, 80)}" is not known.${didYouMean(stranger, names)} Known are ${names.join(', ')}.`
}
