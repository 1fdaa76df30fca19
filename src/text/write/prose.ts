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
  const telling = reading.words.length > 0 ? reading.words : [reading.topic]
  // Drawn on use, because few phrases contain them.
  const name = (): string => words(rng.of('name'), (faker) => faker.person.firstName())
  const friend = (): string => words(rng.of('friend'), (faker) => faker.person.firstName())
  const home = (): string => words(rng.of('place'), townOf)
  const walks = new Map<Phrases, Walk>()

  /** Walks through a list from a random start, so that no phrase repeats before all are used. */
  function next(all: Phrases): string {
    const walk = walks.get(all) ?? begin(all)
    const { list, start, times } = walk
    walk.times++
    return fill(list[(start + times * step(list.length)) % list.length]!, `${list[0]}/${times}`)
  }

  function begin(all: Phrases): Walk {
    const list = telling.length > 1 ? all : all.filter((phrase) => !phrase.includes('{other}'))
    const walk = { list, start: rng.integer(list.length, `start/${list[0]}`), times: 0 }
    walks.set(all, walk)
    return walk
  }

  /** The values for the slots of phrases. */
  const slots: Readonly<Record<string, (own: Rng) => string>> = {
    topic: () => reading.topic,
    Topic: () => capitalised(reading.topic),
    word: (own) => telling[own.integer(telling.length, 'word')]!,
    other: (own) => telling[(own.integer(telling.length, 'word') + 1) % telling.length]!,
    earlier: () => reading.earlier ?? reading.topic,
    name,
    friend,
    place: home,
    adjective: (own) => own.pick(adjectives, 'adjective'),
    thing: (own) => own.pick(things, 'thing'),
  }

  function fill(phrase: string, key: string): string {
    const own = rng.of(key)
    let filled = ''
    // Every other piece is the name of a slot.
    for (const [at, piece] of phrase.split(/\{(\w+)\}/).entries())
      filled += at % 2 === 0 ? piece : slots[piece]!(own)
    return filled
      .replaceAll(/\b([Aa]) (?=[aeiou])/g, '$1n ')
      .replace(/^[a-z]/, (letter) => letter.toUpperCase())
  }

  function many(list: Phrases, count: number): string[] {
    return Array.from({ length: count }, () => next(list))
  }

  const paragraph = (list: Phrases, count: number): string => many(list, count).join(' ')
  const between = (low: number, high: number, key: string): number => low + rng.integer(high - low + 1, key)

  function lead(): string[] {
    const picture = reading.pictures > 0 ? [next(phrases.picture)] : []
    const isFollowing = reading.earlier !== undefined && reading.earlier !== reading.topic
    return [...picture, ...(isFollowing && rng.unit('earlier') < 0.6 ? [next(phrases.earlier)] : [])]
  }

  function explain(): string {
    if (reading.length === 'short') {
      return [...lead(), next(phrases.answer), ...many(phrases.point, rng.integer(2, 'more'))].join(' ')
    }
    const first = [...lead(), next(phrases.opening), ...many(phrases.point, between(1, 2, 'first'))].join(' ')
    const rest = reading.length === 'long' ? between(2, 3, 'rest') : 1
    const paragraphs = Array.from({ length: rest }, (_, index) =>
      paragraph(phrases.point, between(2, 4, `rest/${index}`)),
    )
    return [first, ...paragraphs, next(phrases.closing)].join('\n\n')
  }

  function story(): string {
    const paragraphs =
      reading.unit === 'paragraph'
        ? Math.max(reading.count! - 2, 0)
        : reading.length === 'short'
          ? 1
          : between(2, 3, 'parts')
    const middle = Array.from({ length: paragraphs }, (_, index) =>
      paragraph(phrases.storyMiddle, between(3, 5, `part/${index}`)),
    )
    const beginning = `${next(phrases.storyBeginning)} ${paragraph(phrases.storyMiddle, 2)}`
    return [beginning, ...middle, next(phrases.storyEnding)].join('\n\n')
  }

  function list(): string {
    const count = reading.count ?? between(4, 6, 'items')
    const items = many(phrases.item, count).map((item, index) => `${index + 1}. ${item}.`)
    return `${next(phrases.opening)}\n\n${items.join('\n')}`
  }

  function code(): string {
    const [first = 'value', second = 'result'] = telling.filter((each) => /^[a-z]{2,20}$/.test(each) && !/^(code|function|script|python|javascript|typescript|class|program)$/.test(each)) // prettier-ignore
    const called = `${first}${capitalised(second)}`
    const isPython = /python/i.test(reading.prompt)
    const body = isPython
      ? `def ${first}_${second}(items):\n    """Returns what is left of the items."""\n    return [item for item in items if item]`
      : `function ${called}(items) {\n  // Keeps what is there and leaves the rest out.\n  return items.filter(Boolean)\n}`
    return `${next(phrases.opening)}\n\n\`\`\`${isPython ? 'python' : 'js'}\n${body}\n\`\`\`\n\n${next(phrases.point)}`
  }

  function letter(): string {
    return `Dear ${friend()},\n\n${phrases.letter.slice(0, 3).map((each, index) => fill(each, `letter/${index}`)).join(' ')}\n\n${phrases.letter.slice(3).map((each, index) => fill(each, `letter/${index + 3}`)).join(' ')}\n\nKind regards,\n${name()}` // prettier-ignore
  }

  function inKind(): string {
    const sum = sumOf(reading.prompt)
    if (sum !== undefined) return sum
    if (reading.kind === 'greeting') return next(phrases.greeting)
    if (reading.kind === 'thanks') return next(phrases.thanks)
    if (reading.dictated !== undefined) return capitalised(reading.dictated)
    if (isBrief) return next(phrases.answer)
    if (reading.unit === 'sentence') return paragraph([...phrases.answer, ...phrases.point], reading.count!)
    if (reading.unit === 'word')
      return paragraph(phrases.point, 12).split(' ').slice(0, reading.count).join(' ')
    if (reading.kind === 'story') return story()
    if (reading.kind === 'poem')
      return phrases.verse.map((line, index) => fill(line, `verse/${index}`)).join('\n')
    if (reading.kind === 'list') return list()
    if (reading.kind === 'code') return code()
    return reading.kind === 'letter' ? letter() : explain()
  }

  return {
    answer(atLeast = 0) {
      const parts = [inKind()]
      const more = reading.kind === 'story' ? phrases.storyMiddle : phrases.point
      for (let tokens = countTokens(parts[0]!); tokens < atLeast; tokens += countTokens(parts.at(-1)!)) {
        parts.push(paragraph(more, 4))
      }
      return parts.join('\n\n')
    },
    thoughts(maxTokens) {
      const parts: string[] = []
      for (let tokens = 0, index = 0; index < phrases.thought.length; index++) {
        const each = fill(phrases.thought[index]!, `thought/${index}`)
        tokens += countTokens(each) + 1
        if (parts.length > 0 && tokens > maxTokens) break
        if (index < 2 || rng.unit(`thought/${index}`) < 0.6) parts.push(each)
      }
      return parts.join(' ')
    },
    sentence: (key) => fill(rng.pick(phrases.fact, `sentence/${key}`), `sentence/${key}`),
    title: () => capitalised(reading.topic),
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
