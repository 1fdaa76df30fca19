import type { Route } from '../../../gateway/exchange.ts'
import type { ApiDeps } from '../../operation.ts'
import { versionOf } from '../composition.ts'
import { splitFlags } from '../flags.ts'
import { readPrompt } from '../prompt.ts'
import { defineSubmission } from './submission.ts'

/**
 * Shorter forms of a long prompt.
 * @assumed §4.6 it is undocumented; wire §7.3.
 */
export function mjShorten(deps: ApiDeps): Route {
  return defineSubmission('mj.shorten', deps, {
    action: 'SHORTEN',
    parse: ({ body }) => {
      const prompt = readPrompt(body['prompt'], deps.drawing)
      return { ...prompt, version: versionOf(prompt, body['botType']) }
    },
    respond: (_x, { prompt, flags, shape, problem, version }) => ({
      action: 'SHORTEN',
      prompt,
      version,
      flagged: flags.mode,
      result: () => ({ kind: 'shorten', prompts: shortenedPrompts(prompt) }),
      shape,
      problem,
    }),
  })
}

/** Words that say little about an image. */
const lightWords = new Set(
  (
    'a an and are as at be beautiful but by for from has have highly in incredibly into is it its of on or some such ' +
    'that the their there these this those to very was were which with detailed stunning amazing awesome really quite'
  ).split(' '),
)

const shares = [0.8, 0.65, 0.5, 0.35, 0.2] as const

/**
 * Up to five shorter prompts, each shorter than the one before: the words of most weight in their order, with the
 * flags. A prompt that can't be shortened gives itself.
 *
 * @assumed §4.6 what is left of a prompt is undocumented; wire §7.5 has numbered lines.
 */
export function shortenedPrompts(prompt: string): string[] {
  const [words = '', ...pieces] = splitFlags(prompt)
  const flags = pieces.map((piece) => `--${piece}`)
  const all = words.trim().split(' ').slice(0, 500)
  const ranked = all
    .map((word, index) => ({ word, index, weight: weightOf(word, index, all.length) }))
    .toSorted((one, other) => other.weight - one.weight || one.index - other.index)
  const shorter = shares.map((share) =>
    ranked
      .slice(0, Math.max(1, Math.round(all.length * share)))
      .toSorted((one, other) => one.index - other.index)
      .map(({ word }) => word)
      .join(' ')
      .replace(/[,;:]$/, ''),
  )
  return [...new Set(shorter)].map((text) => [text, ...flags].join(' '))
}

/** Long words and early ones weigh most. */
function weightOf(word: string, index: number, count: number): number {
  const plain = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  if (plain === '' || lightWords.has(plain)) return 0
  return Math.min(plain.length, 10) + 6 * (1 - index / count)
}
