import { isSubjectName, type SubjectName } from '../composition/cast.ts'
import { withEnglishWords } from './chinese-words.ts'
import { aliasOf, isColourWord, meaningsOf, type ColourWord, type Meaning } from './lexicon.ts'
import type { Family, TimeOfDay, Weather } from '../composition/kinds.ts'

/** What was understood of a prompt. */
export interface Reading {
  /** Its first words, in lower case, without accents and signs. */
  words: string[]
  /** How strongly each family was named; empty when none was. */
  places: Map<Family, number>
  subject?: SubjectName
  /** A colour word right before the subject. */
  subjectColour?: ColourWord
  /** The other colour words. */
  colours: ColourWord[]
  weather?: Weather
  time?: TimeOfDay
  /** How much a palette with that tag is wished for. */
  tags: Map<string, number>
}

/**
 * Looks for known words. The first subject, weather and time of day count; of several places the one that is
 * named first or most often.
 */
export function readPrompt(prompt: string): Reading {
  const words = wordsOf(prompt)
  const reading: Reading = { words, places: new Map(), colours: [], tags: new Map() }
  const subjectIndex = readSubject(reading)
  readMeanings(reading)
  readColours(reading, subjectIndex)
  if (reading.subject && CLOSE.some((word) => words.includes(word))) addTo(reading.places, 'emblem', 20)
  return reading
}

/** Words that fill the frame with the subject, whatever place is named. */
const CLOSE = ['portrait', 'closeup', 'headshot']

const MOST_CHARACTERS = 8000
const MOST_WORDS = 400

function wordsOf(prompt: string): string[] {
  return withEnglishWords(prompt.slice(0, MOST_CHARACTERS))
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/still life/g, 'stilllife')
    .replace(/golden hour/g, 'sunset')
    .replace(/close[- ]up/g, 'closeup')
    .replace(/paper boat/g, 'paperboat')
    .replace(/gray/g, 'grey')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, MOST_WORDS)
}

/** @returns the index of the word that named the subject, or -1. */
function readSubject(reading: Reading): number {
  let found = -1
  for (const [i, word] of reading.words.entries()) {
    const isColour = word === 'orange' && i + 1 < reading.words.length
    const subject = isColour ? undefined : subjectIn(word)
    if (!subject) continue
    reading.subject = subject
    found = i
    // "portrait" alone is one of a person, "portrait of a wolf" is not.
    if (word !== 'portrait') break
  }
  return found
}

function subjectIn(word: string): SubjectName | undefined {
  for (const form of [word, ...singularsOf(word)]) {
    const subject = isSubjectName(form) ? form : aliasOf(form)
    if (subject) return subject
  }
  return undefined
}

function singularsOf(word: string): string[] {
  if (word.endsWith('ves')) return [word.slice(0, -1), `${word.slice(0, -3)}f`]
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`]
  if (word.endsWith('es')) return [word.slice(0, -1), word.slice(0, -2)]
  if (word.endsWith('s') && !word.endsWith('ss')) return [word.slice(0, -1)]
  return []
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

function readColours(reading: Reading, subjectIndex: number): void {
  for (const [i, word] of reading.words.entries()) {
    if (!isColourWord(word) || i === subjectIndex) continue
    const distance = subjectIndex - i
    if (!reading.subjectColour && distance > 0 && distance <= 2) reading.subjectColour = word
    else reading.colours.push(word)
  }
}

function addTo<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}
