import icons from './icons.json' with { type: 'json' }
import words from './words.json' with { type: 'json' }
import type { Colour } from '../places/colour.ts'

/** What a subject is, as far as its size, place and motion depend on it. */
export type SubjectKind =
  | 'creature'
  | 'thing'
  | 'sky'
  | 'body'
  | 'person'
  | 'animal'
  | 'bird'
  | 'fish'
  | 'bug'
  | 'plant'
  | 'food'
  | 'place'
  | 'building'
  | 'vehicle'
  | 'boat'
  | 'aircraft'
  | 'shape'

/** A drawing in a box of 32, with the box of what is drawn in it and the colour that most of it has. */
export interface Icon {
  readonly body: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly main: Colour
  readonly kind: SubjectKind
}

/** What prompts of one language call things. */
export interface LanguageWords {
  /** The icon of each noun. */
  readonly nouns: Readonly<Record<string, string>>
  /** Places, hours and weather, in words of the English lexicon. */
  readonly places: Readonly<Record<string, string>>
  readonly colours: Readonly<Record<string, string>>
  readonly functionWords: readonly string[]
  /** Words that are no subjects, though an icon has them. */
  readonly ignored: readonly string[]
}

/** What an English phrase means; nothing at all where it shows nothing. */
export interface Phrase {
  readonly icon?: string
  readonly place?: string
  readonly also?: string
  readonly colour?: string
  readonly count?: string
}

type BakedIcon = [
  body: string,
  left: number,
  top: number,
  right: number,
  bottom: number,
  main: Colour,
  kind: SubjectKind,
]

const bakedIcons = icons as unknown as Record<string, BakedIcon>

/** The languages that prompts are read in. */
export const languages: Readonly<Record<'en' | 'zh', LanguageWords>> = words.languages

/** English phrases that overrule their words. */
export const phrases: Readonly<Record<string, Phrase>> = words.phrases

/** The icon of that name. */
export function findIcon(name: string | undefined): Icon | undefined {
  if (name === undefined || !Object.hasOwn(bakedIcons, name)) return undefined
  const [body, left, top, right, bottom, main, kind] = bakedIcons[name]!
  return { body, left, top, right, bottom, main, kind }
}
