import type { Core } from '../../../gateway/core.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { versionOf } from '../composition.ts'
import { splitFlags } from '../flags.ts'
import { readPrompt } from '../prompt.ts'
import { defineSubmission } from './submission.ts'
import { prompt, submissionForm } from './form.ts'

const form = submissionForm('ShortenRequest', 'Shorten a prompt.', () => ({ prompt: prompt() }))

/**
 * Shorter forms of a long prompt.
 * @assumed §4.6 shortening is undocumented; wire §7.3.
 */
export const mjShorten = defineSubmission(
  {
    name: 'mj.shorten',
    summary: 'Shorten a prompt',
    ...drawingFacts('submit', 'POST /mj/submit/shorten'),
    form,
  },
  (core: Core) => ({
    action: 'SHORTEN',
    prepare: async (body) => {
      const { prompt } = body
      const limit = core.use(drawingSettings).promptLimitCharacters
      const isReadable = typeof prompt === 'string' && prompt.length <= limit
      return { prepared: isReadable ? await findSubject(prompt) : [], fields: body }
    },
    parse: ({ prepared: subject }, { prompt: text, botType }) => {
      const prompt = readPrompt(text, core.use(drawingSettings))
      return { ...prompt, subject, version: versionOf(prompt, botType) }
    },
    respond: (_x, { prompt, subject, flags, shape, problem, version }) => ({
      prompt,
      version,
      flagged: flags.mode,
      result: () => ({ kind: 'shorten', prompts: shortenedPrompts(prompt, subject) }),
      shape,
      problem,
    }),
  }),
)

/** The words of the main subject of a prompt, separately: `red polar bear` has `polar` and `bear`. */
async function findSubject(prompt: string): Promise<readonly string[]> {
  const [reading, { findNoun }] = await Promise.all([
    import('../../../pictures/words/reading.ts'),
    import('../../../pictures/words/nouns.ts'),
  ])
  const { mentions, unknownNoun, language } = reading.interpretPrompt(prompt)
  const [first] = mentions
  if (!first) return unknownNoun ? unknownNoun.text.toLowerCase().split(' ') : []
  const words = prompt.split(' ').slice(0, maxWords).map(plainWord)
  const shows = (phrase: string): boolean => findNoun(phrase, language)?.icon === first.icon
  for (const [index, word] of words.entries()) {
    const next = words[index + 1]
    if (next && shows(`${word} ${next}`)) return [word, next]
    if (shows(word)) return [word]
  }
  return []
}

const maxWords = 500

/** Words that describe little of an image. */
const lightWords = new Set(
  (
    'a an and are as at be beautiful but by for from has have highly in incredibly into is it its of on or some such ' +
    'that the their there these this those to very was were which with detailed stunning amazing awesome really quite'
  ).split(' '),
)

const shares = [0.8, 0.65, 0.5, 0.35, 0.2] as const

/**
 * Up to five prompts, each shorter than the previous one: the most important words in order, with the flags. A prompt that
 * can't be shortened is returned unchanged.
 *
 * @param subject words that are never removed.
 * @assumed §4.6 how a prompt is shortened is undocumented; wire §7.5 has numbered lines.
 */
export function shortenedPrompts(prompt: string, subject: readonly string[] = []): string[] {
  const [words = '', ...pieces] = splitFlags(prompt)
  const flags = pieces.map((piece) => `--${piece}`)
  const all = words.trim().split(' ').slice(0, maxWords)
  const places = subject.map((word) => all.findIndex((each) => plainWord(each) === word))
  const ranked = all
    .map((word, index) => {
      const weight = places.includes(index) ? Infinity : weightOf(word, index, all.length)
      return { word, index, weight }
    })
    .toSorted((one, other) =>
      one.weight === other.weight ? one.index - other.index : other.weight - one.weight,
    )
  const shorter = shares.map((share) =>
    ranked
      .slice(0, Math.max(1, subject.length, Math.round(all.length * share)))
      .toSorted((one, other) => one.index - other.index)
      .map(({ word }) => word)
      .join(' ')
      .replace(/[,;:]$/, ''),
  )
  return [...new Set(shorter)].map((text) => [text, ...flags].join(' '))
}

/** The weight of a word. Long and early words weigh most. */
function weightOf(word: string, index: number, count: number): number {
  const plain = plainWord(word)
  if (plain === '' || lightWords.has(plain)) return 0
  return Math.min(plain.length, 10) + 6 * (1 - index / count)
}

function plainWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
