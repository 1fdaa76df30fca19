import { HIDEABLE, type Hideable } from './description.ts'
import { readPrompt, type Reading } from './reading.ts'

const MOST_ENTRIES = 100

/** A reading of a prompt from which everything is gone that these words mean, too. */
export function withoutWords(reading: Reading, without: readonly string[]): Reading {
  if (without.length === 0) return reading
  const unwanted = readPrompt(textOf(without))
  const { subject, subjectColour, weather, time, ...rest } = reading
  const keepsSubject = subject !== undefined && subject !== unwanted.subject
  return {
    ...rest,
    words: reading.words.filter((word) => !unwanted.words.includes(word)),
    ...(keepsSubject && { subject }),
    ...(keepsSubject && subjectColour && !unwanted.colours.includes(subjectColour) && { subjectColour }),
    ...(weather && weather !== unwanted.weather && { weather }),
    ...(time && time !== unwanted.time && { time }),
    colours: reading.colours.filter((colour) => !unwanted.colours.includes(colour)),
    places: difference(reading.places, unwanted.places),
    tags: difference(reading.tags, unwanted.tags),
  }
}

/** What must not be seen although nobody asked for it. */
export function hiddenBy(without: readonly string[]): readonly Hideable[] {
  if (without.length === 0) return []
  const { words } = readPrompt(textOf(without))
  return HIDEABLE.filter((thing) => words.some((word) => word === thing || `${word}s` === thing))
}

function textOf(without: readonly string[]): string {
  return without.slice(0, MOST_ENTRIES).join(', ')
}

function difference<Key>(
  all: ReadonlyMap<Key, number>,
  unwanted: ReadonlyMap<Key, number>,
): Map<Key, number> {
  return new Map([...all].filter(([key]) => !unwanted.has(key)))
}
