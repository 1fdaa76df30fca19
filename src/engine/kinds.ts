import { didYouMean } from './did-you-mean.ts'

/**
 * What may stand behind a name. No compiler looks at plain JavaScript, and what nobody can use would be taken silently.
 * @returns what is wrong with the value, and what to give, as sentences; nothing where it is of the kind.
 */
export type Kind = (value: unknown, name: string) => string | undefined

/** The kind behind each name of a type, so that the compiler misses one that is forgotten. */
export type KindsOf<Type> = Readonly<Record<keyof Type & string, Kind>>

/** @param wanted what to give, in words. */
export function kind(wanted: string, fits: (value: unknown) => boolean): Kind {
  return (value, name) => (fits(value) ? undefined : `${name} is ${shown(value)}. Give ${wanted}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value).slice(0, 60)
  return Array.isArray(value) ? 'a list' : 'a mapping'
}

/** Whoever reads it says best what is wrong. */
export const checkedLater: Kind = () => undefined

export const aText = kind('a text', (value) => typeof value === 'string')
export const aFlag = kind('true or false', (value) => typeof value === 'boolean')
export const anAmount = kind('a number from 0 on', (value) => Number(value) >= 0 && typeof value === 'number')
export const aMeasure = kind('a number above 0', (value) => Number(value) > 0 && typeof value === 'number')
/** `Infinity` stands for any number. */
export const aCount = kind(
  'a whole number above 0',
  (value) => Number(value) > 0 && (Number.isInteger(value) || value === Infinity),
)
export const aList = kind('a list', Array.isArray)
export const aMapping = kind(
  'a mapping',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
export const aFunction = kind('a function', (value) => typeof value === 'function')

export function oneOf(...words: readonly unknown[]): Kind {
  const wanted = words.map((word) => JSON.stringify(word)).join(' or ')
  return (value, name) => {
    if (words.includes(value)) return undefined
    const hint = typeof value === 'string' ? didYouMean(value, words.map(String)) : ''
    return `${name} is ${shown(value)}.${hint} Give ${wanted}.`
  }
}

/** A mapping, or another kind of value; what is no mapping is told about as that. */
export function orMapping(other: Kind, mapping: Kind = aMapping): Kind {
  return (value, name) => (aMapping(value, name) === undefined ? mapping : other)(value, name)
}

export function listOf(each: Kind): Kind {
  return (value, name) =>
    Array.isArray(value)
      ? firstProblem(value.map((one, index) => each(one, `${name}.${index}`)))
      : aList(value, name)
}

/** A mapping in which nothing else is known. @param needed the names that must be there. */
export function mappingOf<Type>(kinds: KindsOf<Type>, ...needed: readonly (keyof Type & string)[]): Kind {
  return (value, name) => {
    const other = aMapping(value, name)
    if (other !== undefined) return other
    const missing = needed.find((key) => (value as Type)[key] === undefined)
    return insideProblem(value as object, kinds, `${name}.`) ?? (missing && `${name}.${missing} is missing.`)
  }
}

/**
 * What is wrong with a value that is to be a mapping of known names, with what may stand behind them.
 * @returns a sentence or two; nothing where all is well. A name without a value is as if it weren't there.
 */
export function problemIn(given: unknown, kinds: Readonly<Record<string, Kind>>): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return `it must be a mapping, not ${Array.isArray(given) ? 'a list' : String(given).slice(0, 60)}.`
  return insideProblem(given, kinds, '')
}

function insideProblem(
  given: object,
  kinds: Readonly<Record<string, Kind>>,
  above: string,
): string | undefined {
  const names = Object.keys(kinds)
  return firstProblem(
    Object.entries(given).map(([name, value]) => {
      if (Object.hasOwn(kinds, name))
        return value === undefined ? undefined : kinds[name]!(value, above + name)
      const hint = didYouMean(name, names)
      return `"${above}${name.slice(0, 80)}" is not known.${hint} Known are ${names.join(', ')}.`
    }),
  )
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined)
}
