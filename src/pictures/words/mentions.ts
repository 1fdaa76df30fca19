import { findIcon, languages, phrases, type SubjectKind } from '../data/subjects.ts'
import type { Colour } from '../places/colour.ts'
import { isPunctuation, isUnspaced, tokensOf } from './language.ts'
import { meaningsOf, type ColourWord } from './lexicon.ts'
import {
  aboveWords,
  beardWords,
  canCarry,
  counts,
  hairColours,
  hairWords,
  isAdjective,
  isAlsoSubject,
  isFace,
  isRomance,
  isVessel,
  movingWords,
  ofWords,
  oldWords,
  onWords,
  placeIcons,
  scales,
} from './mention-words.ts'
import { findColour, findNoun, findPlace } from './nouns.ts'

/** A subject that a prompt names. */
export interface Mention {
  icon?: string
  /** A drawing of ours, where the icon set has none. */
  own?: string
  kind?: SubjectKind | undefined
  count: number
  colour?: ColourWord
  hair?: Colour
  scale: number
  /** `on`: on top of another subject; `above`: in the air. */
  at?: 'on' | 'above'
  /** The icon of what it is on. */
  on?: string
  isMoving: boolean
  isOld: boolean
  /** The index of the token after it. */
  end: number
}

/** What was found in the tokens of a prompt. */
export interface Mentions {
  found: Mention[]
  /** Places, hours and weather as words of the English lexicon. */
  places: string[]
  /** A colour that belongs to no subject. */
  colour?: ColourWord | undefined
  /** Tokens that no subject took. */
  rest: string[]
  /** English words that may be nouns that nothing is known of, by clause. */
  unknown: { word: string; index: number; clause: number }[]
  tokens: string[]
}

interface Match {
  length: number
  icon?: string | undefined
  own?: string | undefined
  place?: string | undefined
  also?: string | undefined
  colour?: ColourWord | undefined
  count?: number | undefined
  isPlural?: boolean
}

const maxMentions = 6

/** Finds subjects, colours, counts and places in a prompt, from left to right, the longest phrase first. */
export function findMentions(text: string, language: string): Mentions {
  return new MentionFinder(tokensOf(text, language), language).find()
}

class MentionFinder {
  readonly #tokens: readonly string[]
  readonly #language: string
  readonly #found: Mention[] = []
  readonly #places: string[] = []
  readonly #unknown: Mentions['unknown'] = []
  readonly #taken: Set<number> = new Set()
  #clause = 0
  #colour: ColourWord | undefined
  #hair: Colour | undefined
  #count: number | undefined
  #scale = 1
  #at: 'on' | 'above' | undefined
  #isMoving = false
  #isOld = false

  constructor(tokens: readonly string[], language: string) {
    this.#tokens = tokens
    this.#language = language
  }

  find(): Mentions {
    const tokens = this.#tokens
    for (let index = 0; index < tokens.length;) {
      const token = tokens[index]!
      if (isPunctuation(token)) {
        this.#clause++
        this.#colour = undefined
        this.#at = undefined
        index++
      } else if (hairWords.test(token)) {
        this.#readHair(token)
        index++
      } else {
        const match = this.#matchAt(index)
        if (match) this.#take(match, index)
        else this.#readWord(token, index)
        index += match?.length ?? 1
      }
    }
    return {
      found: this.#found,
      places: this.#places,
      colour: this.#colour,
      rest: tokens.filter((_, index) => !this.#taken.has(index)),
      unknown: this.#unknown,
      tokens: [...tokens],
    }
  }

  #matchAt(index: number): Match | undefined {
    const language = this.#language
    for (let length = Math.min(4, this.#tokens.length - index); length >= 1; length--) {
      const span = this.#tokens.slice(index, index + length)
      if (span.some(isPunctuation)) continue
      const phrase = span.join(isUnspaced(language) ? '' : ' ')
      if (language === 'en' && Object.hasOwn(phrases, phrase)) return { length, ...readPhrase(phrase) }
      const match = this.#matchPhrase(phrase, { isWord: length === 1, index })
      if (match) return { length, ...match }
    }
    return undefined
  }

  #matchPhrase(
    phrase: string,
    { isWord, index }: { isWord: boolean; index: number },
  ): Omit<Match, 'length'> | undefined {
    const language = this.#language
    const noun = findNoun(phrase, language)
    if (language !== 'en') {
      const place = isWord || isUnspaced(language) ? findPlace(phrase, language) : undefined
      if (place) return { place }
    }
    if (isWord) {
      const colour = findColour(phrase, language)
      const next = this.#tokens[index + 1]
      // "An orange" is a fruit, "an orange dress" is not.
      const isFruit = language === 'en' && phrase === 'orange' && (next === undefined || isPunctuation(next))
      if (colour && !isFruit) return { colour }
      const isMeaning =
        language === 'en' && [phrase, phrase.replace(/s$/, '')].some((word) => meaningsOf(word).length > 0)
      if (isMeaning && !isAlsoSubject.has(phrase)) return { place: phrase }
    }
    if (!noun) return undefined
    return noun.icon.startsWith('own:')
      ? { own: noun.icon.slice(4) }
      : { icon: noun.icon, isPlural: noun.isPlural }
  }

  #readHair(token: string): void {
    const colour = this.#colour && hairColours[this.#colour]
    const person = this.#found.findLast(({ kind }) => kind === 'person')
    if (person) {
      if (colour) person.hair = colour
      if (beardWords.test(token) && isFace.test(person.icon ?? '')) person.icon = 'man-beard'
    } else this.#hair = colour
    this.#colour = undefined
  }

  #readWord(token: string, index: number): void {
    if (Object.hasOwn(counts, token)) this.#count = counts[token]
    else if (/^[2-9]$/.test(token)) this.#count = Number(token)
    else if (Object.hasOwn(scales, token)) this.#scale = scales[token]!
    else if (oldWords.test(token)) this.#isOld = true
    else if (aboveWords.test(token)) this.#at = 'above'
    else if (onWords.test(token)) this.#at = 'on'
    else if (movingWords.test(token)) this.#isMoving = true
    else if (this.#language === 'en' && isUnknownNoun(token))
      this.#unknown.push({ word: token, index, clause: this.#clause })
  }

  #take(match: Match, index: number): void {
    const end = index + match.length
    const last = this.#found.at(-1)
    const isField = this.#language === 'en' && /^fields?$/.test(this.#tokens[index]!)
    if (isField && last?.kind === 'plant' && last.end === index) last.count = 5
    if (match.place) this.#places.push(match.place)
    if (match.colour && !match.icon) {
      const isBehind = isRomance.test(this.#language) && last?.end === index && !last.colour
      if (isBehind) last.colour = match.colour
      else this.#colour = match.colour
      return
    }
    if (match.colour) this.#colour = match.colour
    if (!match.icon && !match.own) return
    for (let taken = index; taken < end; taken++) this.#taken.add(taken)
    this.#mention(match, index)
    if (match.also) this.#found.push(this.#newMention({ length: match.length, icon: match.also }, end))
    this.#colour = undefined
    this.#count = undefined
    this.#scale = 1
    this.#isOld = false
    this.#at = undefined
  }

  #mention(match: Match, index: number): void {
    const { icon, own } = match
    const kind = findIcon(icon)?.kind
    const last = this.#found.at(-1)
    const isPartOfLast = kind === 'food' && last?.icon && ofWords.test(this.#tokens[index - 1] ?? '')
    if (isPartOfLast && (last.kind === 'food' || isVessel.test(last.icon!))) {
      if (isVessel.test(last.icon!) && icon) last.icon = icon
      return
    }
    const place = icon && this.#language !== 'en' ? placeIcons[icon] : undefined
    if (place) {
      this.#places.push(place)
      return
    }
    const isAction = /^person-(?:biking|surfing)$|^horse-racing$/.test(icon ?? '')
    if (isAction && icon && last?.kind === 'person' && !/astronaut|santa/.test(last.icon ?? '')) {
      last.icon = icon
      return
    }
    const isRepeated = this.#found.some((each) => each.icon === icon && each.own === own)
    if (isRepeated || this.#found.length >= maxMentions) return
    const mention = this.#newMention(match, index + match.length)
    this.#found.push(mention)
    this.#place(mention, last)
  }

  /** "X on Y" puts X upon Y where Y can carry it, "X over Y" puts X into the air. */
  #place(mention: Mention, before: Mention | undefined): void {
    if (this.#hair && mention.kind === 'person') {
      mention.hair = this.#hair
      this.#hair = undefined
    }
    if (!before) return
    if (this.#at === 'above') before.at = 'above'
    if (this.#at === 'on' && mention.icon && canCarry.test(mention.icon) && !isHalfFigure(before.icon)) {
      before.at = 'on'
      before.on = mention.icon
    }
  }

  #newMention({ icon, own, count, isPlural }: Match, end: number): Mention {
    const kind = findIcon(icon)?.kind
    const plural = isPlural ? (kind === 'thing' ? 2 : 3) : 1
    return {
      ...(icon && { icon }),
      ...(own && { own }),
      kind,
      ...(this.#colour && { colour: this.#colour }),
      count: Math.min(count ?? this.#count ?? plural, maxMentions),
      scale: this.#scale,
      isMoving: this.#isMoving,
      isOld: this.#isOld,
      end,
    }
  }
}

function isUnknownNoun(token: string): boolean {
  return (
    /^[a-z]{3,}$/.test(token) &&
    !isAdjective.test(token) &&
    !languages['en']!.ignored.includes(token) &&
    findNoun(token, 'en') === undefined
  )
}

function readPhrase(phrase: string): Omit<Match, 'length'> {
  const { icon, own, place, also, colour, count } = phrases[phrase]!
  return {
    ...(icon && findIcon(icon) && { icon }),
    own,
    place,
    also,
    ...(colour && { colour: findColour(colour, 'en') }),
    ...(count && { count: Number(count) }),
  }
}

const isWholeFigure =
  /walking|running|standing|dancing|biking|surfing|swimming|rowing|cartwheel|juggling|golfing|fencing|climbing|skier|snowboard|horse-racing|lifting|lotus|bouncing|handball|kneeling|wrestling|levitating|merpeople|fairy|taking-bath|in-bed/

/** Whether an icon shows a person from the waist up. */
export function isHalfFigure(icon: string | undefined): boolean {
  return findIcon(icon)?.kind === 'person' && !isWholeFigure.test(icon!)
}
