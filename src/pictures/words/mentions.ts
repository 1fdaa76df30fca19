import { wholeFigureIcons } from '../data/subject-tables.ts'
import { findIcon, languages, phrases } from '../data/subjects.ts'
import {
  aboveWords,
  beardWords,
  clothingWords,
  counts,
  flyingWords,
  hairColours,
  hairWords,
  adjectives,
  lexiconSubjects,
  faceIcons,
  materials,
  mountsOfActions,
  movingWords,
  oldWords,
  onWords,
  placeIcons,
  scales,
  skinWords,
} from '../data/mention-words.ts'
import type { Colour } from '../places/colour.ts'
import { type Mention, dress, inContext, joinsSubject, putInOrWear, putOn } from './joined-subjects.ts'
import { isPunctuation, tokensOf, type Language } from './language.ts'
import { meaningsOf, type ColourWord } from '../data/meanings.ts'
import { findColour, findNoun, findPlace } from './nouns.ts'

/** The findings in the tokens of a prompt. */
export interface Mentions {
  found: Mention[]
  /** Places, hours and weather as words of the English lexicon. */
  places: string[]
  /** A colour that belongs to no subject. */
  colour?: ColourWord | undefined
  /** Tokens that belong to no subject. */
  rest: string[]
  /** English words that may be unknown nouns, by clause. */
  unknown: { word: string; index: number; clause: number }[]
  tokens: string[]
}

interface Match {
  length: number
  icon?: string | undefined
  place?: string | undefined
  also?: readonly string[]
  colour?: ColourWord | undefined
  count?: number | undefined
  isPlural?: boolean
}

const maxMentions = 6

/** Finds subjects, colours, counts and places in a prompt, from left to right, the longest phrase first. */
export function findMentions(text: string, language: Language): Mentions {
  return new MentionFinder(tokensOf(text, language), language).find()
}

class MentionFinder {
  readonly #tokens: readonly string[]
  readonly #language: Language
  readonly #found: Mention[] = []
  readonly #places: string[] = []
  readonly #unknown: Mentions['unknown'] = []
  readonly #taken: Set<number> = new Set()
  #clause = 0
  #colour: ColourWord | undefined
  #hair: Colour | undefined
  #count: number | undefined
  #tone: number | undefined
  #scale = 1
  #at: 'on' | 'above' | undefined
  #isMoving = false
  #isFlying = false
  #isOld = false

  constructor(tokens: readonly string[], language: Language) {
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
        const match = this.#readOfLast(token, index) ? { length: 1 } : this.#matchAt(index)
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

  /** Reads words that describe the previous subject: "an elephant family", "a dragon made of ice", "in a blue suit". */
  #readOfLast(token: string, index: number): boolean {
    const last = this.#found.at(-1)
    if (!last || this.#language !== 'en') return false
    const isMadeOf = this.#tokens[index - 1] === 'of' && this.#tokens[index - 2] === 'made'
    if (isMadeOf && Object.hasOwn(materials, token)) last.colour = materials[token]!
    else if (token === 'family' && last.end === index) last.count = 3
    else if (last.kind === 'person' && clothingWords.test(token)) dress(last, this.#colour)
    else return false
    this.#colour = undefined
    this.#taken.add(index)
    return true
  }

  #matchAt(index: number): Match | undefined {
    const language = this.#language
    for (let length = Math.min(4, this.#tokens.length - index); length >= 1; length--) {
      const span = this.#tokens.slice(index, index + length)
      if (span.some(isPunctuation)) continue
      const phrase = span.join(language === 'zh' ? '' : ' ')
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
    if (language === 'zh') {
      const place = findPlace(phrase)
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
      if (isMeaning && !lexiconSubjects.has(phrase)) return { place: phrase }
    }
    return findNoun(phrase, language)
  }

  #readHair(token: string): void {
    const colour = this.#colour && hairColours[this.#colour]
    const person = this.#found.findLast(({ kind }) => kind === 'person')
    if (person) {
      if (colour) person.hair = colour
      if (beardWords.test(token) && faceIcons.test(person.icon)) person.icon = 'man-beard'
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
    else if (movingWords.test(token)) {
      const subject = this.#lastFree()
      if (subject) subject.isMoving = true
      else this.#isMoving = true
    } else if (flyingWords.test(token)) {
      const subject = this.#lastFree()
      if (subject) subject.at ??= 'above'
      else this.#isFlying = true
    } else if (this.#language === 'en' && Object.hasOwn(skinWords, token)) this.#tone = skinWords[token]
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
      this.#colour = match.colour
      return
    }
    if (match.colour) this.#colour = match.colour
    // A phrase that is not drawn does not name a place either: "building a sandcastle".
    const isTaken = match.icon || (match.length > 1 && !match.place)
    for (let taken = index; isTaken && taken < end; taken++) this.#taken.add(taken)
    if (!match.icon) return
    this.#mention({ ...match, icon: match.icon }, index)
    for (const icon of match.also ?? [])
      this.#found.push(this.#newMention({ length: match.length, icon }, end))
    this.#colour = undefined
    this.#count = undefined
    this.#tone = undefined
    this.#scale = 1
    this.#isOld = false
    this.#isFlying = false
    this.#at = undefined
  }

  #mention(match: Match & { icon: string }, index: number): void {
    const last = this.#found.at(-1)
    const context = {
      before: this.#tokens[index - 1] ?? '',
      colour: this.#colour,
      isNext: last?.end === index,
    }
    if (last && joinsSubject(last, match.icon, { ...context, language: this.#language })) return
    const place = this.#language !== 'en' ? placeIcons[match.icon] : undefined
    if (place) {
      this.#places.push(place)
      return
    }
    const icon = inContext(match.icon, this.#found)
    if (icon !== match.icon && mountsOfActions[match.icon]) this.#at = 'on'
    if (this.#found.some((each) => each.icon === icon) || this.#found.length >= maxMentions) return
    const mention = this.#newMention({ ...match, icon }, index + match.length)
    this.#found.push(mention)
    this.#place(mention, last, index)
  }

  /** Places a mention: "X on Y" puts X on Y if Y can carry it, "X over Y" puts X into the air. */
  #place(mention: Mention, before: Mention | undefined, index: number): void {
    if (this.#hair && mention.kind === 'person') {
      mention.hair = this.#hair
      this.#hair = undefined
    }
    if (!before) return
    const subject = this.#lastFree(mention)
    if (this.#at === 'above' && subject) subject.at = 'above'
    if (this.#at === 'on' && subject) putOn(subject, mention)
    putInOrWear(before, mention, this.#tokens.slice(before.end, index))
  }

  /** The latest subject that is not on, in or worn by another one. */
  #lastFree(except?: Mention): Mention | undefined {
    return this.#found.findLast((mention) => mention !== except && mention.on === undefined)
  }

  #newMention({ icon = '', count, isPlural }: Match, end: number): Mention {
    const kind = findIcon(icon)?.kind
    const plural = isPlural ? (kind === 'thing' ? 2 : 3) : 1
    const tone = this.#tone ?? (this.#colour && faceIcons.test(icon) ? skinWords[this.#colour] : undefined)
    return {
      icon,
      kind,
      ...(tone !== undefined && kind === 'person' ? { tone } : this.#colour && { colour: this.#colour }),
      // That icon already shows two.
      count: icon === 'clinking-glasses' ? 1 : Math.min(count ?? this.#count ?? plural, maxMentions),
      scale: this.#scale,
      ...(this.#isFlying && { at: 'above' as const }),
      isMoving: this.#isMoving,
      isOld: this.#isOld,
      end,
    }
  }
}

function isUnknownNoun(token: string): boolean {
  return (
    /^[a-z]{3,}$/.test(token) &&
    !adjectives.test(token) &&
    !languages.en.ignored.includes(token) &&
    findNoun(token, 'en') === undefined
  )
}

function readPhrase(phrase: string): Omit<Match, 'length'> {
  const { icon, place, also, colour, count } = phrases[phrase]!
  return {
    ...(icon && findIcon(icon) && { icon }),
    place,
    ...(also && { also: also.split('+') }),
    ...(colour && { colour: findColour(colour, 'en') }),
    ...(count && { count: Number(count) }),
  }
}

/** Whether an icon shows a person from the waist up. */
export function isHalfFigure(icon: string | undefined): boolean {
  return findIcon(icon)?.kind === 'person' && !wholeFigureIcons.test(icon!)
}
