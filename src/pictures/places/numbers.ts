/**
 * Mixes a seed with up to two integers, such as the column and row of a cell. It uses only integer arithmetic, so every
 * machine gives the same result.
 * @returns an unsigned 32-bit integer.
 * @see https://nullprogram.com/blog/2018/07/31/ for the finisher.
 */
export function mix(seed: number, a = 0, b = 0): number {
  let hash = seed ^ Math.imul(a | 0, 0x9e3779b1) ^ Math.imul((b | 0) + 7, 0x85ebca6b)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x7feb352d)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x846ca68b)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Like `mix`, but returns a number in [0, 1). */
export function unit(seed: number, a = 0, b = 0): number {
  return mix(seed, a, b) / 4294967296
}

/** A smooth random curve over all x, 0..1, with a knot at every integer. */
export function valueNoise(seed: number, x: number): number {
  const knot = Math.floor(x)
  return lerp(unit(seed, knot), unit(seed, knot + 1), smooth(x - knot))
}

/** Eases 0..1 in and out. */
export function smooth(x: number): number {
  return x * x * (3 - 2 * x)
}

/** The point between a and b at t 0..1. */
export function lerp(a: number, b: number, t: number): number {
  return a + (b - a) * t
}

/** The nearest value to x that is not outside low..high. */
export function clamp(x: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, x))
}

/** A sine of two parabolas: -1..1, with period 1. `Math.sin` may differ in its last bit between engines. */
export function wave(x: number): number {
  const phase = x - Math.floor(x)
  return phase < 0.5 ? 16 * phase * (0.5 - phase) : -16 * (phase - 0.5) * (1 - phase)
}

/** Wraps an index to 0, 1, 2 … count - 1, also for negative numbers. */
export function wrapIndex(index: number, count: number): number {
  return ((index % count) + count) % count
}

/** Rounds to tenths: fine enough for smooth motion, and short in files. */
export function tenth(x: number): number {
  return Math.round(x * 10) / 10
}

/** Rounds to thousandths, for scales, genes and other factors. */
export function thousandth(x: number): number {
  return Math.round(x * 1000) / 1000
}
