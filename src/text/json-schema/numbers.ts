import type { Rng } from '../write/random.ts'
import { type SchemaNode } from './node.ts'

/** The bounds of formats of whole numbers. */
export const integerFormats: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
}

/** The usual range of a property's numbers. */
export interface NumberRange {
  low: number
  high: number
  decimals: number
}

/**
 * Draws a number within the bounds of all nodes.
 * @param usual the preferred range, if the bounds allow it.
 * @returns undefined if there is none, or none was found among the multiples.
 */
export function drawNumber(
  nodes: readonly SchemaNode[],
  isWhole: boolean,
  usual: NumberRange,
  rng: Rng,
): number | undefined {
  const of = (
    keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf',
  ): number[] => nodes.flatMap((node) => node[keyword] ?? [])
  const ranges = nodes.flatMap(({ format = '' }) => {
    const range = integerFormats[format]
    return range === undefined ? [] : [range]
  })
  const whole = isWhole || ranges.length > 0
  const low = Math.max(...of('minimum'), ...of('exclusiveMinimum'), ...ranges.map(([least]) => least))
  const high = Math.min(...of('maximum'), ...of('exclusiveMaximum'), ...ranges.map(([, most]) => most))
  const isLowOpen = of('exclusiveMinimum').includes(low)
  const isHighOpen = of('exclusiveMaximum').includes(high)
  const isWithin = (value: number): boolean =>
    Number.isFinite(value) &&
    (isLowOpen ? value > low : value >= low) &&
    (isHighOpen ? value < high : value <= high)

  const [from, to] = window(low, high, usual)
  const multiples = of('multipleOf')
  const step = multiples.length > 0 ? Math.max(...multiples) : whole ? 1 : 0
  const target = from + (to - from) * rng.unit('number')
  const fits = (value: number): boolean =>
    isWithin(value) &&
    (!whole || Number.isInteger(value)) &&
    multiples.every((multiple) => Number.isInteger(value / multiple))
  if (step > 0) return nearestMultiple(step, target, low, high, fits)
  const candidates = [
    rounded(target, usual.decimals),
    rounded(target, usual.decimals + 4),
    target,
    (low + high) / 2,
  ]
  return [...candidates, low, high].find(fits)
}

/** The part of the usual range within the bounds. Without one, the part of the bounds nearest to that range. */
function window(low: number, high: number, usual: NumberRange): [number, number] {
  const from = Math.max(low, usual.low)
  const to = Math.min(high, usual.high)
  if (from <= to) return [from, to]
  const span = Math.max(usual.high - usual.low, Math.abs(low === -Infinity ? high : low) * 1e-6)
  if (low > usual.high) return [low, Math.min(high, low + span)]
  return [Math.max(low, high - span), high]
}

function nearestMultiple(
  step: number,
  target: number,
  low: number,
  high: number,
  fits: (value: number) => boolean,
): number | undefined {
  const decimals = decimalsOf(step)
  const starts = [target, ...(low === -Infinity ? [] : [low]), ...(high === Infinity ? [] : [high])]
  for (const start of starts) {
    const middle = Math.round(start / step)
    for (let away = 0; away <= 1_000; away++) {
      for (const count of away === 0 ? [middle] : [middle + away, middle - away]) {
        const value = rounded(count * step, decimals)
        if (fits(value)) return value
      }
    }
  }
  return undefined
}

function decimalsOf(step: number): number {
  const [, fraction = '', exponent = '0'] = /^[\d]+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(step)) ?? []
  return Math.min(Math.max(fraction.length - Number(exponent), 0), 100)
}

function rounded(value: number, decimals: number): number {
  return Math.abs(value) < 1e21 ? Number(value.toFixed(Math.min(decimals, 100))) : value
}

/** Whether a number fits the node's own numeric keywords. */
export function fitsNumber(node: SchemaNode, value: number): boolean {
  const range = integerFormats[node.format ?? '']
  return (
    value >= (node.minimum ?? -Infinity) &&
    value <= (node.maximum ?? Infinity) &&
    value > (node.exclusiveMinimum ?? -Infinity) &&
    value < (node.exclusiveMaximum ?? Infinity) &&
    (node.multipleOf === undefined || Number.isInteger(value / node.multipleOf)) &&
    (range === undefined || (Number.isInteger(value) && value >= range[0] && value <= range[1]))
  )
}
