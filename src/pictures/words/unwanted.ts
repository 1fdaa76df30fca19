import { HIDEABLE, type Hideable } from './description.ts'
import { readPrompt, type Reading } from './reading.ts'

const maxEntries = 100

/** Removes everything with these meanings from the reading of a prompt. */
export function withoutWords(reading: Reading, without: readonly string[]): Reading {
  if (without.length === 0) return reading
  const unwanted = readPrompt(textOf(without))
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
