import {
  closeWords,
  familiesOfEmptyPrompts,
  homes,
  indoorWords,
  countryIcons,
  spaceIcons,
  underwaterWords,
} from '../data/subject-tables.ts'
import { findIcon } from '../data/subjects.ts'
import type { Family } from '../words/description.ts'
import { emblemsOfPlaces } from '../data/mention-words.ts'
import type { Reading } from '../words/reading.ts'

/** Whether a prompt requests a close-up of its subject, in any place. */
export function isCloseUp(prompt: string): boolean {
  return closeWords.test(prompt.toLowerCase())
}

/** The family of pictures that suits the reading of a prompt. */
export function chooseFamily(reading: Reading, prompt: string, hash: number): Family {
  const { mentions, places, weather, time, words, letters, unknownNoun } = reading
  const text = `${prompt.toLowerCase()} ${words.join(' ')}`
  const [place] = [...places].sort(([, one], [, other]) => other - one)[0] ?? []
  const kinds = mentions.map(({ icon }) => findIcon(icon)?.kind)
  const hasSubject = mentions.length > 0 || letters !== undefined
  const isShore = /boat|jump|beach|shore/.test(text)
  const isInTheAir = mentions.some(({ kind, at }) => kind === 'fish' && at === 'above')
  if (underwaterWords.test(text)) return 'underwater'
  if (indoorWords.test(text) && !isCloseUp(prompt)) return 'room'
  const isEmblem = hasSubject || words.some((word) => Object.hasOwn(emblemsOfPlaces, word))
  if (isCloseUp(prompt) && isEmblem) return 'emblem'
  if (
    kinds.length > 0 &&
    kinds.every((kind) => kind === 'fish') &&
    (!place || place === 'sea') &&
    !isShore &&
    !isInTheAir
  )
    return 'underwater'
  if (place && (place !== 'abstract' || !hasSubject)) return place
  if (mentions.some(({ icon }) => spaceIcons.test(icon))) return 'space'
  if (mentions.some(({ icon }) => icon === 'lighthouse')) return 'sea'
  const kindAtHome = isInTheAir ? undefined : kinds.find((kind) => kind && homes[kind])
  if (kindAtHome) {
    const home = homes[kindAtHome]!
    return home === 'city' && mentions.some(({ icon }) => countryIcons.test(icon)) ? 'hills' : home
  }
  if (isInTheAir) return 'hills'
  if (weather || time) return weather === 'rain' && !time && !hasSubject ? 'city' : 'hills'
  if (hasSubject || unknownNoun) return 'emblem'
  return place ?? familiesOfEmptyPrompts[hash & 7] ?? 'hills'
}
