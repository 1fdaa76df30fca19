import { adjectives, phrases, things } from './phrase-data.ts'
import type { PromptAnalysis } from '../reading.ts'
import { countTokens } from '../tokens.ts'
import { townOf, type Rng, type Words } from './random.ts'

/** Writes sentences about a prompt. Each has its own key for random draws. */
export interface Prose {
  /** @param atLeast the minimum number of tokens. */
  answer(atLeast?: number): string
  /** Writes thoughts before the answer, up to a number of tokens, but at least one sentence. */
  thoughts(maxTokens: number): string
  sentence(key: string): string
  title(): string
}

type Phrases = readonly string[]

/** The progress through a list. */
interface Walk {
  readonly list: Phrases
  readonly start: number
  times: number
}

/** @param isBrief limits answers to a sentence or two, for requests with very many candidates. */
export function proseAbout(reading: PromptAnalysis, rng: Rng, words: Words, isBrief = false): Prose {
  return new ProseWriter(reading, rng, words, isBrief)
}

/** The values for the slots of phrases. Names are drawn on use, because few phrases contain them. */
function slotsFor(
  { topic, earlier }: PromptAnalysis,
  telling: readonly string[],
  rng: Rng,
  words: Words,
): Readonly<Record<string, (own: Rng) => string>> {
  return {
    topic: () => topic,
    Topic: () => capitalised(topic),
    word: (own) => telling[own.integer(telling.length, 'word')]!,
    other: (own) => telling[(own.integer(telling.length, 'word') + 1) % telling.length]!,
    earlier: () => earlier ?? topic,
    name: () => words(rng.of('name'), (faker) => faker.person.firstName()),
    friend: () => words(rng.of('friend'), (faker) => faker.person.firstName()),
    place: () => words(rng.of('place'), townOf),
    adjective: (own) => own.pick(adjectives, 'adjective'),
    thing: (own) => own.pick(things, 'thing'),
  }
}

class ProseWriter implements Prose {
  readonly #reading: PromptAnalysis
  readonly #rng: Rng
  readonly #isBrief: boolean
  readonly #telling: readonly string[]
  readonly #slots: Readonly<Record<string, (own: Rng) => string>>
  readonly #walks = new Map<Phrases, Walk>()

  constructor(reading: PromptAnalysis, rng: Rng, words: Words, isBrief: boolean) {
    this.#reading = reading
    this.#rng = rng
    this.#isBrief = isBrief
    this.#telling = reading.words.length > 0 ? reading.words : [reading.topic]
    this.#slots = slotsFor(reading, this.#telling, rng, words)
  }

  answer(atLeast = 0): string {
    const parts = [this.#inKind()]
    const more = this.#reading.kind === 'story' ? phrases.storyMiddle : phrases.point
    for (let tokens = countTokens(parts[0]!); tokens < atLeast; tokens += countTokens(parts.at(-1)!)) {
      parts.push(this.#paragraph(more, 4))
    }
    return parts.join('\n\n')
  }

  thoughts(maxTokens: number): string {
    const parts: string[] = []
    for (let tokens = 0, index = 0; index < phrases.thought.length; index++) {
      const each = this.#fill(phrases.thought[index]!, `thought/${index}`)
      tokens += countTokens(each) + 1
      if (parts.length > 0 && tokens > maxTokens) break
      if (index < 2 || this.#rng.unit(`thought/${index}`) < 0.6) parts.push(each)
    }
    return parts.join(' ')
  }

  sentence(key: string): string {
    return this.#fill(this.#rng.pick(phrases.fact, `sentence/${key}`), `sentence/${key}`)
  }

  title(): string {
    return capitalised(this.#reading.topic)
  }

  /** Walks through a list from a random start, so that no phrase repeats before all are used. */
  #next(all: Phrases): string {
    const walk = this.#walks.get(all) ?? this.#begin(all)
    const { list, start, times } = walk
    walk.times++
    return this.#fill(list[(start + times * step(list.length)) % list.length]!, `${list[0]}/${times}`)
  }

  #begin(all: Phrases): Walk {
    const list = this.#telling.length > 1 ? all : all.filter((phrase) => !phrase.includes('{other}'))
    const walk = { list, start: this.#rng.integer(list.length, `start/${list[0]}`), times: 0 }
    this.#walks.set(all, walk)
    return walk
  }

  #fill(phrase: string, key: string): string {
    const own = this.#rng.of(key)
    let filled = ''
    // Every other piece is the name of a slot.
    for (const [at, piece] of phrase.split(/\{(\w+)\}/).entries())
      filled += at % 2 === 0 ? piece : this.#slots[piece]!(own)
    return filled
      .replaceAll(/\b([Aa]) (?=[aeiou])/g, '$1n ')
      .replace(/^[a-z]/, (letter) => letter.toUpperCase())
  }

  #many(list: Phrases, count: number): string[] {
    return Array.from({ length: count }, () => this.#next(list))
  }

  #paragraph(list: Phrases, count: number): string {
    return this.#many(list, count).join(' ')
  }

  #between(low: number, high: number, key: string): number {
    return low + this.#rng.integer(high - low + 1, key)
  }

  #lead(): string[] {
    const picture = this.#reading.pictures > 0 ? [this.#next(phrases.picture)] : []
    const isFollowing = this.#reading.earlier !== undefined && this.#reading.earlier !== this.#reading.topic
    return [
      ...picture,
      ...(isFollowing && this.#rng.unit('earlier') < 0.6 ? [this.#next(phrases.earlier)] : []),
    ]
  }

  #explain(): string {
    if (this.#reading.length === 'short') {
      return [
        ...this.#lead(),
        this.#next(phrases.answer),
        ...this.#many(phrases.point, this.#rng.integer(2, 'more')),
      ].join(' ')
    }
    const first = [
      ...this.#lead(),
      this.#next(phrases.opening),
      ...this.#many(phrases.point, this.#between(1, 2, 'first')),
    ].join(' ')
    const rest = this.#reading.length === 'long' ? this.#between(2, 3, 'rest') : 1
    const paragraphs = Array.from({ length: rest }, (_, index) =>
      this.#paragraph(phrases.point, this.#between(2, 4, `rest/${index}`)),
    )
    return [first, ...paragraphs, this.#next(phrases.closing)].join('\n\n')
  }

  #story(): string {
    const paragraphs =
      this.#reading.unit === 'paragraph'
        ? Math.max(this.#reading.count! - 2, 0)
        : this.#reading.length === 'short'
          ? 1
          : this.#between(2, 3, 'parts')
    const middle = Array.from({ length: paragraphs }, (_, index) =>
      this.#paragraph(phrases.storyMiddle, this.#between(3, 5, `part/${index}`)),
    )
    const beginning = `${this.#next(phrases.storyBeginning)} ${this.#paragraph(phrases.storyMiddle, 2)}`
    return [beginning, ...middle, this.#next(phrases.storyEnding)].join('\n\n')
  }

  #list(): string {
    const count = this.#reading.count ?? this.#between(4, 6, 'items')
    const items = this.#many(phrases.item, count).map((item, index) => `${index + 1}. ${item}.`)
    return `${this.#next(phrases.opening)}\n\n${items.join('\n')}`
  }

  #code(): string {
    const [first = 'value', second = 'result'] = this.#telling.filter((each) => /^[a-z]{2,20}$/.test(each) && !/^(code|function|script|python|javascript|typescript|class|program)$/.test(each)) // prettier-ignore
    const called = `${first}${capitalised(second)}`
    const isPython = /python/i.test(this.#reading.prompt)
    const body = isPython
      ? `def ${first}_${second}(items):\n    """Returns what is left of the items."""\n    return [item for item in items if item]`
      : `function ${called}(items) {\n  // Keeps what is there and leaves the rest out.\n  return items.filter(Boolean)\n}`
    return `${this.#next(phrases.opening)}\n\n\`\`\`${isPython ? 'python' : 'js'}\n${body}\n\`\`\`\n\n${this.#next(phrases.point)}`
  }

  #letter(): string {
    return `Dear ${this.#slots['friend']!(this.#rng)},\n\n${phrases.letter.slice(0, 3).map((each, index) => this.#fill(each, `letter/${index}`)).join(' ')}\n\n${phrases.letter.slice(3).map((each, index) => this.#fill(each, `letter/${index + 3}`)).join(' ')}\n\nKind regards,\n${this.#slots['name']!(this.#rng)}` // prettier-ignore
  }

  #inKind(): string {
    const reading = this.#reading
    const sum = sumOf(reading.prompt)
    if (sum !== undefined) return sum
    if (reading.kind === 'greeting') return this.#next(phrases.greeting)
    if (reading.kind === 'thanks') return this.#next(phrases.thanks)
    if (reading.dictated !== undefined) return capitalised(reading.dictated)
    if (this.#isBrief) return this.#next(phrases.answer)
    if (reading.unit === 'sentence')
      return this.#paragraph([...phrases.answer, ...phrases.point], reading.count!)
    if (reading.unit === 'word')
      return this.#paragraph(phrases.point, 12).split(' ').slice(0, reading.count).join(' ')
    if (reading.kind === 'story') return this.#story()
    if (reading.kind === 'poem')
      return phrases.verse.map((line, index) => this.#fill(line, `verse/${index}`)).join('\n')
    if (reading.kind === 'list') return this.#list()
    if (reading.kind === 'code') return this.#code()
    return reading.kind === 'letter' ? this.#letter() : this.#explain()
  }
}

/** A step that is coprime to the length, so that a walk visits the whole list. */
function step(length: number): number {
  return [7, 5, 3].find((each) => length % each !== 0) ?? 1
}

function capitalised(text: string): string {
  return text.replace(/^./u, (first) => first.toUpperCase())
}

/** Solves sums such as `2 + 2`, a frequent first prompt. */
function sumOf(prompt: string): string | undefined {
  const [, left, sign = '', right] =
    /^(?:what(?:'s| is)|calculate|compute)?\s*(-?\d{1,9})\s*([+*x×/-])\s*(-?\d{1,9})\s*[=?.]*$/i.exec(
      prompt.trim(),
    ) ?? []
  if (left === undefined || right === undefined) return undefined
  const [one, other] = [Number(left), Number(right)]
  if (sign === '/' && other === 0) return 'Division by zero is not defined.'
  const results: Readonly<Record<string, number>> = { '+': one + other, '-': one - other, '/': one / other }
  const result = results[sign] ?? one * other
  return `${one} ${sign} ${other} is ${Number(result.toFixed(6))}.`
}
