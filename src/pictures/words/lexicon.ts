import { COLOUR_WORDS, MEANINGS, type Meaning } from '../data/meanings.ts'

/** All meanings of a word in lower case. */
export function meaningsOf(word: string): readonly Meaning[] {
  return MEANINGS_BY_WORD.get(word) ?? []
}

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

export { COLOUR_WORDS }
