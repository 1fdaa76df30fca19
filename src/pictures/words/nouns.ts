import { shades, isColourWord, type ColourWord } from '../data/meanings.ts'
import { languages } from '../data/subjects.ts'
import type { Language } from './language.ts'

interface Noun {
  readonly icon: string
  readonly isPlural: boolean
}

/** Looks up a phrase in its language, then in English. */
export function findNoun(phrase: string, language: Language): Noun | undefined {
  for (const each of language === 'en' ? enOnly : zhThenEn) {
    const { nouns, ignored } = languages[each]
    const split = phrase.lastIndexOf(' ') + 1
    const [head, last] = [phrase.slice(0, split), phrase.slice(split)]
    for (const form of formsOf(last, each)) {
      const word = head + form
      if (ignored.includes(word)) return undefined
      if (Object.hasOwn(nouns, word)) return { icon: nouns[word]!, isPlural: form !== last && each === 'en' }
    }
  }
  return undefined
}

const enOnly = ['en'] as const
const zhThenEn = ['zh', 'en'] as const

/** The English lexicon words for a place, hour or weather in Chinese. */
export function findPlace(word: string): string | undefined {
  const { places } = languages.zh
  return Object.hasOwn(places, word) ? places[word] : undefined
}

/** The colour that a word names. */
export function findColour(word: string, language: Language): ColourWord | undefined {
  if (language === 'en')
    return isColourWord(word) ? word : Object.hasOwn(shades, word) ? shades[word] : undefined
  const found = Object.entries(languages.zh.colours).find(
    ([stem]) =>
      word === stem || (stem.length >= 3 && word.startsWith(stem) && word.length - stem.length <= 3),
  )?.[1]
  return found !== undefined && isColourWord(found) ? found : undefined
}

/** A word, and its possible base forms. */
function formsOf(word: string, language: Language): string[] {
  const forms = [word]
  if (language === 'zh') return forms
  if (word.endsWith('ves')) forms.push(`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`)
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`)
  if (word.endsWith('es')) forms.push(word.slice(0, -2))
  if (/[^s]s$/.test(word)) forms.push(word.slice(0, -1))
  if (word.endsWith('men')) forms.push(`${word.slice(0, -3)}man`)
  return forms
}
