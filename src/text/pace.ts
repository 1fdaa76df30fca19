import { checkDuration, sampleDuration, type DurationSpec } from '../engine/random/distribution.ts'
import { rngFor, type Rng } from './write/random.ts'
import type { ChunkedPace, ChunkUnit, TextChance, TextChunk, TextTiming } from './spec.ts'
import { charactersOf, countTokens, tokenize, splitWords } from './tokens.ts'
import { recognizeCopies } from '../engine/shared-error.ts'

/** The maximum number of chunks. Longer answers have larger chunks. */
export const maxChunks = 4_096

/**
 * Splits an answer into the chunks of a stream, each with the time at which it is sent. Times never decrease.
 *
 * @param text the answer. An empty text gives no chunks.
 * @param part keys the random draws of a candidate, such as `candidate/1`.
 * @returns the chunks. They are split between tokens, so no character is in two of them.
 */
export function paceText(text: string, pace: ChunkedPace, chance: TextChance, part = ''): TextChunk[] {
  const { chunk = 'token' } = pace
  const pieces = cutters[chunk](text)
  const rng = rngFor(chance, `pace/${part}`)
  const perChunk = Math.max(1, Math.ceil(pieces.length / maxChunks))
  const tokenMs = pace.tokensPerSecond === undefined ? 0 : 1_000 / pace.tokensPerSecond
  const chunks: TextChunk[] = []
  let atMs = wait(pace.firstToken, rng, 'first')
  for (let from = 0; from < pieces.length; from += perChunk) {
    const end = Math.min(from + perChunk, pieces.length)
    const joined = perChunk === 1 ? pieces[from]! : pieces.slice(from, end).join('')
    const size = chunk === 'token' ? end - from : countTokens(joined)
    // A chunk is sent when its last token is written. `firstToken` includes the wait for the first token.
    atMs += (from === 0 ? size - 1 : size) * tokenMs
    if (from > 0 && pace.gap !== undefined) atMs += wait(pace.gap, rng, `jitter/${from}`)
    chunks.push({ text: joined, atMs: Math.round(atMs) })
  }
  return chunks
}

const cutters: Readonly<Record<ChunkUnit, (text: string) => string[]>> = {
  token: tokenize,
  word: splitWords,
  character: charactersOf,
}

/**
 * Thrown for invalid settings. The message names the field and a valid value.
 *
 * @example
 * const text = { timing: { tokensPerSecond: 2e6 } }
 * createSimulator({ text }) // throws TextSettingsError: text.timing.tokensPerSecond is 2000000: give a number from 0.01 to 1000000, …
 */
export class TextSettingsError extends Error {
  static {
    recognizeCopies(this, 'TextSettingsError')
  }

  override name = 'TextSettingsError'
}

/**
 * Checks a pace.
 * @throws {DurationError} if a duration is invalid.
 * @throws {TextSettingsError} if a number is out of range.
 */
export function checkPace({ firstToken, tokensPerSecond }: TextTiming): void {
  if (firstToken !== undefined) checkDuration(firstToken)
  if (tokensPerSecond !== undefined && !(tokensPerSecond >= 0.01 && tokensPerSecond <= 1e6)) {
    throw new TextSettingsError(
      `text.timing.tokensPerSecond is ${tokensPerSecond}: give a number from 0.01 to 1000000, or leave it out for answers at once`,
    )
  }
}

/** An endless wait counts as 0. Use faults for streams that never begin. */
function wait(spec: DurationSpec | undefined, rng: Rng, key: string): number {
  return spec === undefined ? 0 : (sampleDuration(spec, rng.unit(key)) ?? 0)
}
