import { didYouMean } from './did-you-mean.ts'

type Kind = 'text' | 'number' | 'true or false' | 'list' | 'mapping' | 'function' | 'null' | 'other'

/**
 * What a value from plain JavaScript may be, where no compiler looked at it. Told are the mistakes that would be taken
 * silently, or end in a TypeError of ours: names nobody knows, and values of another kind.
 */
export interface Form {
  readonly kinds: readonly Kind[]
  /** What is wrong with a value of one of these kinds. */
  readonly inside?: (value: unknown, place: string) => readonly string[]
}

/**
 * Everything that is wrong with a value, one sentence each, in the words that are used of files.
 * @param place how the value is called; empty for the whole, whose parts are then called by their names alone.
 */
export function mistakesOf(form: Form, value: unknown, place = ''): readonly string[] {
  const kind = kindOf(value)
  if (form.kinds.includes(kind)) return form.inside?.(value, place) ?? []
  const wanted = form.kinds.map((each) => words[each]).join(' or ')
  return [`${place === '' ? 'it' : place} is ${shown(value)}: must be ${wanted}`]
}

export const text: Form = { kinds: ['text'] }
export const flag: Form = { kinds: ['true or false'] }
export const mappingOfAny: Form = { kinds: ['mapping'] }
export const aFunction: Form = { kinds: ['function'] }
export const anything: Form = {
  kinds: ['text', 'number', 'true or false', 'list', 'mapping', 'function', 'null'],
}
export const scalarOrNull: Form = { kinds: ['text', 'number', 'true or false', 'null'] }

/** Any number; one that is none passes for a number everywhere else. */
export const number: Form = {
  kinds: ['number'],
  inside: (value, place) => (Number.isNaN(value) ? [`${place} is NaN: must be a number`] : []),
}

export const aboveZero: Form = {
  kinds: ['number'],
  inside: (value, place) =>
    (value as number) > 0 ? [] : [`${place} is ${String(value)}: must be a number above 0`],
}

/** One of some words. */
export function word(...known: readonly string[]): Form {
  return {
    kinds: ['text'],
    inside: (value, place) =>
      known.includes(value as string)
        ? []
        : [
            `${place} is ${shown(value)}: must be one of ${known.join(', ')}.${didYouMean(value as string, known)}`,
          ],
  }
}

export function listOf(form: Form): Form {
  return {
    kinds: ['list'],
    inside: (value, place) =>
      (value as readonly unknown[]).flatMap((each, index) => mistakesOf(form, each, `${place}.${index}`)),
  }
}

/** A mapping whose names are the user's. */
export function mappingOf(form: Form): Form {
  return {
    kinds: ['mapping'],
    inside: (value, place) =>
      Object.entries(value as object).flatMap(([name, each]) =>
        each === undefined ? [] : mistakesOf(form, each, placeIn(place, name)),
      ),
  }
}

/** A value of one kind or another. */
export function either(...forms: readonly Form[]): Form {
  return {
    kinds: forms.flatMap(({ kinds }) => kinds),
    inside: (value, place) => {
      const meant = forms.find(({ kinds }) => kinds.includes(kindOf(value)))
      return meant?.inside?.(value, place) ?? []
    },
  }
}

/** The names of a type, of a union those of all its members. */
type NamesOf<Type> = Type extends unknown ? keyof Type : never

/** Every name of a type with what its value may be, so that the compiler misses what is forgotten here. */
export type Named<Type> = { readonly [Name in NamesOf<Type>]-?: Form }

/**
 * A mapping of known names; what is left out, or undefined, is fine.
 * @param needed what must be there; of a list in it, at least one.
 */
export function mapping<Type>(
  known: Named<Type>,
  needed: readonly (NamesOf<Type> | readonly NamesOf<Type>[])[] = [],
): Form {
  const forms: Readonly<Record<string, Form>> = known
  const names = Object.keys(forms)
  return {
    kinds: ['mapping'],
    inside: (value, place) => {
      const given = value as Readonly<Record<PropertyKey, unknown>>
      const missing = needed.flatMap((need) => {
        const choice = [need].flat() as string[]
        if (choice.some((name) => given[name] !== undefined)) return []
        return choice.length === 1
          ? [`${placeIn(place, choice[0]!)} is missing`]
          : [`${place === '' ? 'it' : place} needs one of ${choice.join(', ')}`]
      })
      const wrong = Object.keys(given).flatMap((name) => {
        if (given[name] === undefined) return []
        const form = Object.hasOwn(forms, name) ? forms[name] : undefined
        if (form) return mistakesOf(form, given[name], placeIn(place, name))
        const hint = didYouMean(name, names)
        return [`${placeIn(place, name.slice(0, 80))} is not known.${hint} Known here: ${names.join(', ')}`]
      })
      return [...wrong, ...missing]
    },
  }
}

const words: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  'true or false': 'true or false',
  list: 'a list',
  mapping: 'a mapping',
  function: 'a function',
  null: 'null',
  other: 'something else',
}

function placeIn(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return 'number'
    case 'boolean':
      return 'true or false'
    case 'object':
      return 'mapping'
    case 'function':
      return 'function'
    default:
      return 'other'
  }
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 60)
  } catch {
    // Circles and very large whole numbers.
    return String(value).slice(0, 60)
  }
}
