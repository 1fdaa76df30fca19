import {
  phrasesOfMeaning,
  type Meaning,
  isColourWord,
  meaningsOf,
  type ColourWord,
} from '../data/meanings.ts'
import { type Family, type TimeOfDay, type Weather, HIDEABLE, type Hideable } from './description.ts'
import { detectLanguage, normalize } from './language.ts'
import { adjectives } from '../data/mention-words.ts'
import type { Mention } from './joined-subjects.ts'
import { moveWords } from '../data/looks.ts'
import { findMentions, type Mentions } from './mentions.ts'
import { languages } from '../data/subjects.ts'

/** The interpretation of a prompt. */
export interface Reading {
  language: string
  /** English words of places, hours, weather and moods. */
  words: string[]
  /** How strongly each family was named; empty if none was. */
  places: Map<Family, number>
  /** The subjects, in the order of the prompt. */
  mentions: Mention[]
  /** A text to draw as letters. */
  letters?: string
  /** An unknown noun. `isFirst` if it begins the prompt. */
  unknownNoun?: { text: string; isFirst: boolean }
  /** Colour words that belong to no subject. */
  colours: ColourWord[]
  weather?: Weather
  time?: TimeOfDay
  /** The weight of each palette tag. */
  tags: Map<string, number>
}

const maxCharacters = 1200

/** Reads the subjects, places, colours, weather and hour of a prompt, in one of ten languages. */
export function interpretPrompt(prompt: string): Reading {
  const language = detectLanguage(prompt.slice(0, maxCharacters))
  const { letters, rest } = takeLetters(withoutAsides(prompt.slice(0, maxCharacters), language))
  const mentions = findMentions(rest, language)
  if (language === 'en' && inTheSky.test(rest)) liftFish(mentions)
  const words = englishWordsOf(mentions, language)
  const unknownNoun = unknownNounOf(mentions, { language, text: rest })
  const reading: Reading = {
    language,
    words,
    places: new Map(),
    mentions: mentions.found,
    ...(letters && { letters }),
    ...(unknownNoun && { unknownNoun }),
    colours: coloursOf(words, mentions),
    tags: new Map(),
  }
  readMeanings(reading)
  return reading
}

/** What a prompt excludes, such as "no trees or clouds". */
const exclusions = /\b(?:no|without)(?:\s+any)?\s+(\w+(?:\s+n?or\s+\w+)*)/gi

/** Removes flags, exclusions and names of styles, which do not describe the subject. */
function withoutAsides(text: string, language: string): string {
  return moveWords
    .reduce((rest, [, words]) => rest.replace(words, ' '), text)
    .replace(/--\w+(\s+[\w:.]+)?/g, ' ')
    .replace(language === 'en' ? exclusions : /$^/, ' ')
    .replace(/\b(?:in the style of|inspired by|style of|shot on|by)\s+[A-Z][^,]*/g, ' ')
}

const inTheSky =
  /\b(?:above|over|in|through|among|across|between)\s+(?:the\s+|an?\s+)?(?:\w+\s+)?(?:sky|skies|clouds?)\b/i

/** "A whale above the clouds" flies. */
function liftFish({ found }: Mentions): void {
  if (!found.every(({ kind }) => kind === 'fish' || kind === 'sky')) return
  for (const mention of found) if (mention.kind === 'fish') mention.at ??= 'above'
}

const maxLetters = 28

/** A text in quotes, or after "the word" and similar phrases. */
function takeLetters(text: string): { letters?: string; rest: string } {
  const quoted =
    new RegExp(`["“”„«]([^"“”„«»]{1,${maxLetters}})["“”»]`).exec(text) ??
    new RegExp(`(?:says?|text|reading|word|titled|lettering)\\s+'([^']{1,${maxLetters}})'`, 'i').exec(text) ??
    /「([^」]{1,20})」/.exec(text) ??
    /\b(?:the )?(?:word|letters?|text|monogram) ([A-Z0-9]{1,12})\b/.exec(text)
  if (!quoted) return { rest: text }
  return { letters: quoted[1]!.trim(), rest: text.replace(quoted[0], ' ') }
}

function englishWordsOf({ places, rest, colour }: Mentions, language: string): string[] {
  const text = [...(language === 'en' ? rest : []), ...places, ...(colour ? [colour] : [])].join(' ')
  return phrasesOfMeaning
    .reduce((read, [phrase, word]) => read.replace(phrase, word), normalize(text))
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

function coloursOf(words: readonly string[], { found }: Mentions): ColourWord[] {
  const ofSubjects = new Set(found.map(({ colour }) => colour))
  const hasHair = found.some(({ hair }) => hair)
  return words.filter((word): word is ColourWord => isColourWord(word) && !ofSubjects.has(word) && !hasHair)
}

/** The noun of a phrase without known words: of "a blue gazebo" the last word, of Chinese the whole clause. */
function unknownNounOf(
  { unknown, tokens }: Mentions,
  { language, text }: { language: string; text: string },
): Reading['unknownNoun'] {
  if (language === 'zh') {
    const clause = text.trim().replace(/[，。、,.].*$/su, '')
    return clause ? { text: clause.slice(0, Math.min(8, maxLetters)), isFirst: false } : undefined
  }
  const [first] = unknown
  if (!first) {
    const { functionWords } = languages.en
    const last = tokens.findLast(
      (token) =>
        /^\p{L}{3,}$/u.test(token) &&
        !functionWords.includes(token) &&
        !adjectives.test(token) &&
        meaningsOf(token).length === 0,
    )
    return last ? { text: last, isFirst: false } : undefined
  }
  const second = unknown[1]
  const isCompound = second?.index === first.index + 1 && second.clause === first.clause
  return {
    text: isCompound ? `${first.word} ${second.word}` : first.word,
    isFirst: first.index <= 2 && !/(?:ing|ed)$/.test(isCompound ? second.word : first.word),
  }
}

function readMeanings(reading: Reading): void {
  const known = new Set<Meaning>()
  for (const [i, word] of reading.words.entries()) {
    for (const meaning of [word, ...singularsOf(word)].flatMap(meaningsOf)) {
      if (meaning.place) addTo(reading.places, meaning.place, 10 - Math.min(i, 8) * 0.5)
      if (meaning.weather) reading.weather ??= meaning.weather
      if (meaning.time) reading.time ??= meaning.time
      if (known.has(meaning)) continue
      known.add(meaning)
      for (const [tag, weight] of Object.entries(meaning.tags ?? {})) addTo(reading.tags, tag, weight)
    }
  }
}

function singularsOf(word: string): string[] {
  if (word.endsWith('ves')) return [word.slice(0, -1), `${word.slice(0, -3)}f`]
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`]
  if (word.endsWith('es')) return [word.slice(0, -1), word.slice(0, -2)]
  if (word.endsWith('s') && !word.endsWith('ss')) return [word.slice(0, -1)]
  return []
}

function addTo<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

const maxEntries = 100

/** Removes everything with these meanings from the reading of a prompt. */
export function withoutWords(reading: Reading, without: readonly string[]): Reading {
  if (without.length === 0) return reading
  const unwanted = interpretPrompt(textOf(without))
  const { weather, time, ...rest } = reading
  const unwantedColours = new Set([...unwanted.colours, ...unwanted.mentions.map(({ colour }) => colour)])
  return {
    ...rest,
    words: reading.words.filter((word) => !unwanted.words.includes(word)),
    mentions: reading.mentions
      .filter(({ icon }) => !unwanted.mentions.some((each) => each.icon === icon))
      .map(({ colour, ...mention }) => ({
        ...mention,
        ...(colour && !unwantedColours.has(colour) && { colour }),
      })),
    ...(weather && weather !== unwanted.weather && { weather }),
    ...(time && time !== unwanted.time && { time }),
    colours: reading.colours.filter((colour) => !unwantedColours.has(colour)),
    places: difference(reading.places, unwanted.places),
    tags: difference(reading.tags, unwanted.tags),
  }
}

/** What a prompt in English excludes by "no" or "without". */
export function exclusionsOf(prompt: string): string[] {
  return [...prompt.slice(0, maxCharacters).matchAll(exclusions)].map(([, what]) => what!)
}

/** The elements to hide, even though the prompt doesn't name them. */
export function hiddenBy(without: readonly string[]): readonly Hideable[] {
  if (without.length === 0) return []
  const text = textOf(without).toLowerCase()
  return HIDEABLE.filter((thing) => new RegExp(`\\b${thing.replace(/s$/, '')}s?\\b`).test(text))
}

function textOf(without: readonly string[]): string {
  return without.slice(0, maxEntries).join(', ')
}

function difference<Key>(
  all: ReadonlyMap<Key, number>,
  unwanted: ReadonlyMap<Key, number>,
): Map<Key, number> {
  return new Map([...all].filter(([key]) => !unwanted.has(key)))
}
