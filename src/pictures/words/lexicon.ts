import type { Colour } from '../places/colour.ts'
import { MEANINGS, type Meaning } from '../data/meanings.ts'

/** All meanings of a word in lower case. */
export function meaningsOf(word: string): readonly Meaning[] {
  return MEANINGS_BY_WORD.get(word) ?? []
}

/** The colours that words name. */
export const COLOUR_WORDS = {
  red: '#d8392f',
  orange: '#ee7f2d',
  yellow: '#f4c437',
  green: '#3f9b57',
  teal: '#2aa198',
  blue: '#3b78c9',
  purple: '#7d4fb8',
  pink: '#f08bb0',
  brown: '#8a5a3c',
  black: '#25242b',
  white: '#f6f1e8',
  grey: '#8d97a1',
  gold: '#e3ac3a',
  silver: '#b9c3cc',
} satisfies Record<string, Colour>

export type ColourWord = keyof typeof COLOUR_WORDS

/** Whether a word, in lower case, names a colour. */
export function isColourWord(word: string): word is ColourWord {
  return Object.hasOwn(COLOUR_WORDS, word)
}

const MEANINGS_BY_WORD = new Map<string, Meaning[]>()
for (const [words, meaning] of MEANINGS) {
  for (const word of words.split(/\s+/)) {
    MEANINGS_BY_WORD.set(word, [...(MEANINGS_BY_WORD.get(word) ?? []), meaning])
  }
}
