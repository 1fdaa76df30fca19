import { splitFlags } from '../flags.ts'

/** Words that carry little of a picture. */
const light = new Set(
  (
    'a an and are as at be beautiful but by for from has have highly in incredibly into is it its of on or some such ' +
    'that the their there these this those to very was were which with detailed stunning amazing awesome really quite'
  ).split(' '),
)

const shares = [0.8, 0.65, 0.5, 0.35, 0.2] as const

/**
 * Up to five shorter prompts, each shorter than the one before: the words that carry most stay, in their order, with
 * the flags. A prompt that can't be made shorter gives itself.
 *
 * @assumed §4.6 what is left of a prompt is not shown; wire §7.5 shows numbered lines.
 */
export function shortenedPrompts(prompt: string): string[] {
  const [words = '', ...pieces] = splitFlags(prompt)
  const flags = pieces.map((piece) => `--${piece}`)
  const kept = words.trim().split(' ').slice(0, 500)
  const ranked = kept
    .map((word, index) => ({ word, index, weight: weightOf(word, index, kept.length) }))
    .toSorted((one, other) => other.weight - one.weight || one.index - other.index)
  const shorter = shares.map((share) =>
    ranked
      .slice(0, Math.max(1, Math.round(kept.length * share)))
      .toSorted((one, other) => one.index - other.index)
      .map(({ word }) => word)
      .join(' ')
      .replace(/[,;:]$/, ''),
  )
  return [...new Set(shorter)].map((text) => [text, ...flags].join(' '))
}

/** Long words and early ones say most; small words say least. */
function weightOf(word: string, index: number, count: number): number {
  const plain = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  if (plain === '' || light.has(plain)) return 0
  return Math.min(plain.length, 10) + 6 * (1 - index / count)
}
