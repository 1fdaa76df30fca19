import { findIcon, type SubjectKind } from '../data/subjects.ts'
import {
  inWords,
  clothingIcons,
  containerIcons,
  faceIcons,
  vesselIcons,
  wearableIcons,
  mountsOfActions,
  ofWords,
  seats,
  wearingWords,
} from '../data/mention-words.ts'
import type { Colour } from '../places/colour.ts'
import type { Language } from './language.ts'
import type { ColourWord } from '../data/meanings.ts'
import type { MentionPosition } from './description.ts'

/** A subject that a prompt names. */
export interface Mention {
  icon: string
  kind: SubjectKind | undefined
  count: number
  colour?: ColourWord
  hair?: Colour
  /** The tone of skin, 0 light to 4 dark. */
  tone?: number
  scale: number
  at?: MentionPosition
  /** The icon of the member that it is on, in or worn by. */
  on?: string
  isMoving: boolean
  isOld: boolean
  /** The index of the token after the mention. */
  end: number
}

/** Finds the meaning of a word in its context: "a bottle of wine and two glasses", "a cat riding a bicycle". */
export function inContext(icon: string, found: readonly Mention[]): string {
  const isDrink = found.some((each) => /wine|bottle|beer|cocktail|milk|juice/.test(each.icon))
  if (icon === 'glasses' && isDrink) return 'clinking-glasses'
  return (found.length > 0 && mountsOfActions[icon]) || icon
}

/**
 * Whether a noun describes the previous subject. Then it changes that subject: "cup of coffee", "chocolate cake", "baby
 * penguin", "in a red dress".
 * @param context.before the word before the noun.
 * @param context.isNext whether the two are adjacent.
 */
export function joinsSubject(
  last: Mention,
  icon: string,
  context: { before: string; isNext: boolean; language: Language; colour: ColourWord | undefined },
): boolean {
  const { before, language, colour } = context
  const kind = findIcon(icon)?.kind
  const isNext = context.isNext && language === 'en'
  if (ofWords.test(before) && (kind === 'food' || kind === 'plant')) return joinsContents(last, icon)
  if (last.kind === 'food' && kind === 'food' && isNext) {
    if (last.icon === 'chocolate-bar') last.colour = 'brown'
    last.icon = icon
    return true
  }
  if (last.icon === 'baby' && isNext && kind && /^(?:animal|bird|fish|creature)$/.test(kind)) {
    Object.assign(last, { icon, kind, scale: 0.75 })
    return true
  }
  if (last.kind !== 'person') return false
  if (clothingIcons.test(icon)) {
    dress(last, colour)
    if (icon === 'dress' && last.icon === 'woman') last.icon = 'woman-dancing'
    return true
  }
  const isAction = Object.hasOwn(mountsOfActions, icon) && faceIcons.test(last.icon)
  if (isAction) last.icon = icon
  return isAction
}

/** Handles the contents of a vessel, the flowers of a bouquet, and the dish of "apple pie". */
function joinsContents(last: Mention, icon: string): boolean {
  const kind = findIcon(icon)?.kind
  if (last.kind === 'food' && kind === 'food' && !vesselIcons.test(last.icon)) return true
  const isBunch = last.icon === 'bouquet'
  if (!isBunch && !vesselIcons.test(last.icon)) return false
  Object.assign(last, { icon, kind, ...(isBunch && { count: 3 }) })
  return true
}

/** Gives the colour of the clothes to the person. */
export function dress(person: Mention, colour: ColourWord | undefined): void {
  if (colour) person.colour = colour
}

/** Puts a subject on another one that can carry it. */
export function putOn(mention: Mention, carrier: Mention): void {
  if (Object.hasOwn(seats, carrier.icon)) attach(mention, 'on', carrier)
}

/** Puts one of two subjects into the other or on its head, if the words between them say so. */
export function putInOrWear(before: Mention, mention: Mention, between: readonly string[]): void {
  if (containerIcons.test(mention.icon) && between.some((word) => inWords.test(word)))
    attach(before, 'in', mention)
  if (containerIcons.test(before.icon) && inWords.test(between[0] ?? '')) attach(mention, 'in', before)
  if (!wearableIcons.test(mention.icon)) return
  // "Sunglasses and a hat".
  if (before.at === 'worn') Object.assign(mention, { at: before.at, on: before.on })
  else if (between.some((word) => wearingWords.test(word))) attach(mention, 'worn', before)
}

function attach(mention: Mention, at: MentionPosition, carrier: Mention): void {
  mention.at = at
  mention.on = carrier.icon
}
