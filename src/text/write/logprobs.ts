import type { WorkBudget } from '../../engine/work-budget.ts'
import type { TokenLogprob } from '../spec.ts'
import { tokenize } from '../tokens.ts'
import type { Rng } from './random.ts'

/** Common words, for alternatives that a short answer doesn't offer itself. */
const everyday =
  ' the, a, of, and, to, in, is, that, it, for, on, with, as, this, are, be, at, by, an, or, from, was, but'.split(
    ',',
  )

/** The units of one probability, from drawing to writing it. */
const logprobWork = 2

/**
 * Log probabilities as a sure model has them: most tokens near 0, a few doubtful, and all alternatives of a token
 * together at most 1.
 *
 * @param top how many alternatives to list, from 0 to 20.
 * @throws {WorkRefused} when the budget runs out.
 */
export function drawLogprobs(text: string, top: number, rng: Rng, work: WorkBudget): TokenLogprob[] {
  const tokens = tokenize(text)
  work.spend(tokens.length * (top + 2) * logprobWork, 'its log probabilities')
  const others = [...new Set([...tokens.slice(0, 100), ...everyday])]
  return tokens.map((token, index) => {
    const draw = rng.unit(`logprob/${index}`)
    const probability = 1 - 0.45 * draw ** 4 - 1e-4
    const listed = [{ token, logprob: logarithm(probability) }]
    let left = 1 - probability
    // The first place to look is drawn; then on from there, so that one token has each alternative once.
    const start = Math.floor(draw * 1e6) % others.length
    for (let at = 0; listed.length < top; at++) {
      const other = others[(start + at) % others.length]!
      if (other === token) continue
      left /= 2
      listed.push({ token: other, logprob: logarithm(left) })
    }
    return { token, logprob: listed[0]!.logprob, top: listed.slice(0, top) }
  })
}

function logarithm(probability: number): number {
  return Math.min(0, Number(Math.log(probability).toFixed(6)))
}
