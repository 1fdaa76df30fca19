import type { Dice } from './dice.ts'
import type { TokenLogprob } from './spec.ts'
import { tokenize } from './tokens.ts'

/** What could stand anywhere, for alternatives that a short answer doesn't offer itself. */
const everyday =
  ' the, a, of, and, to, in, is, that, it, for, on, with, as, this, are, be, at, by, an, or, from, was, but'.split(
    ',',
  )

/** Texts of many thousands of tokens get fewer alternatives. */
const mostListed = 400_000

/**
 * Log probabilities as a sure model has them: most tokens near 0, a few doubtful, and all alternatives of a token
 * together at most 1.
 *
 * @param top how many alternatives to list, from 0 to 20.
 */
export function drawLogprobs(text: string, top: number, dice: Dice): TokenLogprob[] {
  const tokens = tokenize(text)
  const most = Math.min(top, Math.max(top === 0 ? 0 : 1, Math.floor(mostListed / Math.max(tokens.length, 1))))
  const others = [...new Set([...tokens.slice(0, 100), ...everyday])]
  return tokens.map((token, index) => {
    const draw = dice.unit(`logprob/${index}`)
    const probability = 1 - 0.45 * draw ** 4 - 1e-4
    const listed = [{ token, logprob: logarithm(probability) }]
    let left = 1 - probability
    // The first place to look is drawn; then on from there, so that one token has each alternative once.
    const start = Math.floor(draw * 1e6) % others.length
    for (let at = 0; listed.length < most; at++) {
      const other = others[(start + at) % others.length]!
      if (other === token) continue
      left /= 2
      listed.push({ token: other, logprob: logarithm(left) })
    }
    return { token, logprob: listed[0]!.logprob, top: listed.slice(0, most) }
  })
}

function logarithm(probability: number): number {
  return Math.min(0, Number(Math.log(probability).toFixed(6)))
}
