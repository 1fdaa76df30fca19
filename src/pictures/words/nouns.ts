import { shades, isColourWord, type ColourWord } from '../data/meanings.ts'
import { languages } from '../data/subjects.ts'
import { isUnspaced } from './language.ts'

interface Noun {
  readonly icon: string
  readonly isPlural: boolean
}

/** Looks up a phrase in its language, then in English. */
export function findNoun(phrase: string, language: string): Noun | undefined {
  for (const each of language === 'en' ? ['en'] : [language, 'en']) {
    const { nouns, ignored } = languages[each]!
    const split = phrase.lastIndexOf(' ') + 1
    const [head, last] = [phrase.slice(0, split), phrase.slice(split)]
    for (const form of formsOf(last, each)) {
      const word = head + form
      if (ignored.includes(word)) return undefined
      if (Object.hasOwn(nouns, word)) return { icon: nouns[word]!, isPlural: form !== last && each === 'en' }
    }
    const icon = split === 0 ? findByStem(phrase, each) : undefined
    if (icon) return { icon, isPlural: false }
  }
  return undefined
}

/** The English lexicon words for a place, hour or weather in another language. */
export function findPlace(word: string, language: string): string | undefined {
  const { places } = languages[language]!
  const known = formsOf(word, language).find((form) => Object.hasOwn(places, form))
  if (known !== undefined) return places[known]
  const isNoun = Object.hasOwn(languages[language]!.nouns, word)
  if (isNoun || isUnspaced(language) || word.length < 4) return undefined
  // Endings of cases and genders: "лесу" is "лес", "montañas" is "montaña".
  const stem = Object.keys(places).find(
    (place) =>
      place.length >= 4 &&
      word.startsWith(place.slice(0, Math.max(4, place.length - 2))) &&
      word.length - place.length <= 3,
  )
  return stem && places[stem]
}

/** The colour that a word names. */
export function findColour(word: string, language: string): ColourWord | undefined {
  if (language === 'en')
    return isColourWord(word) ? word : Object.hasOwn(shades, word) ? shades[word] : undefined
  const found = Object.entries(languages[language]!.colours).find(
    ([stem]) =>
      word === stem ||
      (stem.length >= 3 && word.startsWith(stem) && word.length - stem.length <= 3) ||
      (language === 'ar' && word.endsWith(stem)),
  )?.[1]
  return found !== undefined && isColourWord(found) ? found : undefined
}

/** A word, and its possible base forms. */
function formsOf(word: string, language: string): string[] {
  const forms = [word]
  if (language === 'en') {
    if (word.endsWith('ves')) forms.push(`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`)
    if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`)
    if (word.endsWith('es')) forms.push(word.slice(0, -2))
    if (/[^s]s$/.test(word)) forms.push(word.slice(0, -1))
    if (word.endsWith('men')) forms.push(`${word.slice(0, -3)}man`)
  } else if (language === 'ar') {
    for (const prefix of ['وال', 'بال', 'كال', 'لل', 'ال', 'و', 'ب', 'ل'])
      if (word.startsWith(prefix) && word.length - prefix.length >= 2) forms.push(word.slice(prefix.length))
    forms.push(...forms.map((form) => (form.endsWith('ة') ? form.slice(0, -1) : `${form}ة`)))
  } else if (!isUnspaced(language)) {
    for (const ending of ['s', 'es', 'x', 'n', 'en', 'e', 'er', 'i'])
      if (word.endsWith(ending) && word.length - ending.length >= 3) forms.push(word.slice(0, -ending.length))
  }
  return forms
}

type Stems = Map<string, { icon: string; cut: number }>
const stemsByLanguage = new Map<string, Stems>()

/** Finds a Russian or Hindi noun. Its inflected forms differ in up to three letters at the end. */
function findByStem(word: string, language: string): string | undefined {
  const minLength = language === 'hi' ? 3 : 4
  if (word.length < minLength || (language !== 'ru' && language !== 'hi')) return undefined
  if (languages[language]!.ignored.includes(word)) return undefined
  let stems = stemsByLanguage.get(language)
  if (!stems) stemsByLanguage.set(language, (stems = stemsOf(language, minLength)))
  for (let cut = 0; cut <= 3; cut++) {
    const stem = word.slice(0, word.length - cut)
    if (stem.length < minLength - 1) return undefined
    const found = stems.get(stem)
    if (found && found.cut + cut <= 3) return found.icon
  }
  return undefined
}

function stemsOf(language: string, minLength: number): Stems {
  const stems: Stems = new Map()
  for (const [noun, icon] of Object.entries(languages[language]!.nouns)) {
    if (noun.includes(' ') || noun.length < 3) continue
    for (let cut = 0; cut <= 2; cut++) {
      const stem = noun.slice(0, noun.length - cut)
      if (stem.length >= minLength - 1 && cut < (stems.get(stem)?.cut ?? Infinity))
        stems.set(stem, { icon, cut })
    }
  }
  return stems
}
