import { firstTokens } from './tokens.ts'

/** A text as it is after stop sequences and the limit of tokens. */
export interface Limited {
  text: string
  /** How many tokens the text has. */
  tokens: number
  isCut: boolean
}

/**
 * Ends a text before the first stop sequence, then after so many tokens.
 * @param maxTokens how many tokens it may have; `Infinity` for no limit.
 */
export function limitText(text: string, stop: readonly string[], maxTokens: number): Limited {
  let end = text.length
  for (const each of stop) {
    const at = each === '' ? -1 : text.indexOf(each)
    if (at >= 0) end = Math.min(end, at)
  }
  const whole = text.slice(0, end)
  const kept = firstTokens(whole, maxTokens)
  return { text: whole.slice(0, kept.end), tokens: kept.count, isCut: kept.end < whole.length }
}
