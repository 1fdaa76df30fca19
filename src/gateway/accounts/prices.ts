import type { Price } from '../../scenario/vocabulary/types.ts'
import { fitsGlob } from '../../engine/glob.ts'

/** The billed quantities of a request. */
export interface BilledWork {
  /** Whether the request creates a task, such as a video or a drawing. */
  readonly task?: boolean
  readonly seconds?: number
  /** Images that are made at once: each is a task, if tasks have a price. */
  readonly images?: number
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** The gateway's unit of money: 500 000 are one dollar (wire §2.2). */
export const quotaPerDollar = 500_000

/**
 * The price of a model for which neither the options nor an API have one.
 * @assumed §8 the prices themselves are undocumented; round figures near those of the vendors.
 */
export const defaultPrice: Price = { models: '*', perSecond: 0.08, input: 0.5, output: 2 }

/** The price of a model; undefined when it costs nothing. */
export function priceOf(prices: readonly Price[], model: string): Price | undefined {
  return prices.find(({ models }) => fitsGlob(models, model))
}

/**
 * The cost of a piece of work (§8: per task by duration, or per token), in the gateway's units, rounded up.
 *
 * @param discount the share of the price that the account pays.
 */
export function quotaOf(price: Price | undefined, work: BilledWork, discount: number): number {
  if (!price) return 0
  const { perTask, perSecond, input = 0, output = 0 } = price
  const isPerTask = work.task === true && (perTask !== undefined || perSecond !== undefined)
  const { tokens = { input: 0, output: 0 }, seconds = 0, images = 0 } = work
  const ofTokens = (tokens.input * input + tokens.output * output) / 1_000_000
  const ofImages = images > 0 && perTask !== undefined ? images * perTask : undefined
  const dollars = isPerTask ? (perTask ?? 0) + (perSecond ?? 0) * seconds : (ofImages ?? ofTokens)
  const quota = dollars * discount * quotaPerDollar
  const whole = Math.floor(quota)
  return quota - whole < maxRoundingError ? whole : whole + 1
}

/** Prevents that a rounding error of decimal fractions costs a unit. */
const maxRoundingError = 5e-7

/**
 * The tokens of a video, for models that are billed by tokens.
 * @assumed §8 how a video's tokens are counted is undocumented; the pixels of all frames by 1024, as a vendor publishes it.
 */
export function videoTokens(video: {
  width: number
  height: number
  seconds: number
  framesPerSecond: number
}): number {
  return Math.ceil((video.width * video.height * video.framesPerSecond * video.seconds) / 1024)
}

/** Converts the gateway's units to dollars. */
export function dollarsOf(quota: number): number {
  return Number((quota / quotaPerDollar).toFixed(6))
}
