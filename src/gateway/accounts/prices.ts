import type { Price } from '../../scenario/vocabulary/types.ts'
import { fitsGlob } from '../../engine/glob.ts'

/** What a request costs money for. */
export interface Work {
  /** Whether it is a task, as videos and drawings are. */
  readonly task?: boolean
  readonly seconds?: number
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** The gateway's unit of money: 500 000 are one dollar (wire §2.2). */
export const quotaPerDollar = 500_000

/**
 * The prices without configured ones.
 * @assumed §8 the prices themselves are not documented.
 */
export const defaultPrices: readonly Price[] = [
  { models: 'mj_*', perTask: 0.05 },
  { models: '*', perSecond: 0.08, input: 0.5, output: 2 },
]

/** The price of a model; undefined when it costs nothing. */
export function priceOf(prices: readonly Price[], model: string): Price | undefined {
  return prices.find(({ models }) => fitsGlob(models, model))
}

/**
 * What a piece of work costs (§8: per task by duration, or per token), in the gateway's units, rounded up.
 *
 * @param discount the share of the price that the account pays.
 */
export function quotaOf(price: Price | undefined, work: Work, discount: number): number {
  if (!price) return 0
  const { perTask, perSecond, input = 0, output = 0 } = price
  const isPerTask = work.task === true && (perTask !== undefined || perSecond !== undefined)
  const { tokens = { input: 0, output: 0 }, seconds = 0 } = work
  const dollars = isPerTask
    ? (perTask ?? 0) + (perSecond ?? 0) * seconds
    : (tokens.input * input + tokens.output * output) / 1_000_000
  const quota = dollars * discount * quotaPerDollar
  const whole = Math.floor(quota)
  return quota - whole < maxRoundingError ? whole : whole + 1
}

/** A rounding error of decimal fractions must not cost a unit. */
const maxRoundingError = 5e-7

/**
 * The tokens of a video, where it is billed by them.
 * @assumed §8 how a video's tokens are counted is not documented: pixels of all frames by 1024, as a vendor publishes it.
 */
export function videoTokens(video: {
  width: number
  height: number
  seconds: number
  framesPerSecond: number
}): number {
  return Math.ceil((video.width * video.height * video.framesPerSecond * video.seconds) / 1024)
}

/** A sum as dollars. */
export function dollarsOf(quota: number): number {
  return Number((quota / quotaPerDollar).toFixed(6))
}
