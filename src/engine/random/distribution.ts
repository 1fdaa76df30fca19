import { DurationError, formatDuration, maxDurationMs, parseDuration } from '../clock/duration.ts'

/**
 * A duration, or a distribution from which it is drawn. Distributions take percentiles, because services publish these.
 * `forever` does not end by itself.
 *
 * @example
 * const queued: DurationSpec = { lognormal: { p50: '8s', p95: '45s', max: '5m' } }
 * const render: DurationSpec = { choice: [{ value: '20s', weight: 9 }, { value: 'forever' }] }
 * await using sim = createSimulator({ timing: { queued, render } })
 */
export type DurationSpec =
  | string
  | number
  | { uniform: readonly [string | number, string | number] }
  | { normal: { mean: string | number; sd: string | number } & Bounds }
  | { lognormal: { p50: string | number; p95: string | number } & Bounds }
  | { choice: readonly { value: string | number; weight?: number }[] }

interface Bounds {
  min?: string | number
  max?: string | number
}

/**
 * Turns a draw into a duration by the inverse of the distribution's cumulative function. One draw gives one duration,
 * and a larger draw never gives a shorter one.
 *
 * @param spec the distribution.
 * @param draw a number in [0, 1).
 * @returns whole milliseconds, or null for `forever`.
 * @throws {DurationError} when the spec can't be read.
 */
export function sampleDuration(spec: DurationSpec, draw: number): number | null {
  if (spec === 'forever') return null
  if (isFixed(spec)) return parseDuration(spec)
  if ('uniform' in spec) {
    const [low, high] = [parseDuration(spec.uniform[0]), parseDuration(spec.uniform[1])]
    if (high < low) {
      const [from, to] = [formatDuration(high), formatDuration(low)]
      throw new DurationError(`uniform needs its smaller bound first: write [${from}, ${to}]`)
    }
    return Math.round(low + (high - low) * draw)
  }
  if ('normal' in spec) {
    const { mean, sd } = spec.normal
    return bound(parseDuration(mean) + parseDuration(sd) * inverseNormal(draw), spec.normal)
  }
  if ('lognormal' in spec) {
    const [p50, p95] = [parseDuration(spec.lognormal.p50), parseDuration(spec.lognormal.p95)]
    if (p50 <= 0 || p95 < p50) {
      const [median, high] = [Math.min(p50, p95), Math.max(p50, p95)].map(formatDuration)
      const advice = p95 < p50 && p95 > 0 ? `{ p50: ${median}, p95: ${high} }` : 'a p50 of at least 1ms'
      throw new DurationError(`lognormal needs 0 < p50 <= p95: write ${advice}`)
    }
    const sigma = Math.log(p95 / p50) / normalP95
    return bound(p50 * Math.exp(sigma * inverseNormal(draw)), spec.lognormal)
  }
  return choose(spec.choice, draw)
}

/** Whether a duration is constant, so nothing need be drawn. */
export function isFixed(spec: DurationSpec): spec is string | number {
  return typeof spec === 'string' || typeof spec === 'number'
}

/**
 * Checks a spec early, so that a mistake does not surface with the first request.
 * @throws {DurationError} when it can't.
 */
export function checkDuration(spec: DurationSpec): void {
  sampleDuration(spec, 0.5)
}

/**
 * Parses the durations of a spec early: a spec that many tasks share is then quicker to draw from.
 *
 * @returns the same spec, with milliseconds in the place of texts.
 * @throws {DurationError} when the spec can't be read.
 */
export function parseSpec(spec: DurationSpec): DurationSpec {
  checkDuration(spec)
  const parse = (given: string | number): string | number =>
    given === 'forever' ? given : parseDuration(given)
  if (isFixed(spec)) return parse(spec)
  if ('uniform' in spec) return { uniform: [parse(spec.uniform[0]), parse(spec.uniform[1])] }
  if ('choice' in spec) return { choice: spec.choice.map((one) => ({ ...one, value: parse(one.value) })) }
  const [[name, figures]] = Object.entries(spec) as [[string, Record<string, string | number>]]
  const parsed = Object.entries(figures).map(([key, figure]) => [key, parse(figure)])
  return { [name]: Object.fromEntries(parsed) } as DurationSpec
}

function choose(
  choices: readonly { value: string | number; weight?: number }[],
  draw: number,
): number | null {
  const possible = choices.filter(({ weight = 1 }) => weight > 0)
  const last = possible.at(-1)
  if (!last)
    throw new DurationError('choice needs a value with a weight above 0: write weight: 1, or leave it out')
  let left = draw * possible.reduce((sum, { weight = 1 }) => sum + weight, 0)
  // Rounding can leave a remainder after all weights; it goes to the last.
  const { value } = possible.find(({ weight = 1 }) => (left -= weight) < 0) ?? last
  return value === 'forever' ? null : parseDuration(value)
}

function bound(durationMs: number, { min = 0, max = maxDurationMs }: Bounds): number {
  return Math.round(Math.min(parseDuration(max), Math.max(parseDuration(min), durationMs)))
}

/**
 * The normal distribution's quantile by Acklam's rational approximation (relative error below 1.2e-9, far
 * finer than the milliseconds it is rounded to).
 */
function inverseNormal(draw: number): number {
  const probability = Math.min(Math.max(draw, 1e-9), 1 - 1e-9)
  if (probability < 0.02425) return tail(Math.sqrt(-2 * Math.log(probability)))
  if (probability > 1 - 0.02425) return -tail(Math.sqrt(-2 * Math.log(1 - probability)))
  const q = probability - 0.5
  const r = q * q
  return (polynomial(centreNumerator, r) * q) / (polynomial(centreDenominator, r) * r + 1)
}

function tail(q: number): number {
  return polynomial(tailNumerator, q) / (polynomial(tailDenominator, q) * q + 1)
}

const centreNumerator = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
]
const centreDenominator = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
]
const tailNumerator = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const tailDenominator = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416]

/** The 95th percentile, in standard deviations. */
const normalP95 = inverseNormal(0.95)

function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0
  for (const coefficient of coefficients) sum = sum * x + coefficient
  return sum
}
