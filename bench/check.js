// Compares what was measured now with the figures of the page.
import { show } from './figures.js'
import { formatFigure } from './page.js'

/** @typedef {import('./page.js').Figure} Figure */
/** @typedef {{ now: Figure, before: Figure, ratio: number, verdict: 'better' | 'worse' | 'within the spread' }} Comparison */

/** Rows of others: yardsticks and peers. */
const others =
  /^(?:bare|a bare|an empty|aimock|express|Mockoon|Prism|WireMock|MockServer|nock|undici|`msw|one process|the same|the encoder)/i

/** Columns that count something which is neither good nor bad. */
const neutral = /^(?:schedules|size)$/

const higherIsBetter = /\b(?:in a|per) second\b/

/**
 * Which way a figure is better; undefined where it is none of greenroom's, or neither way is. Whatever is no rate is a time,
 * an amount of memory, or the ratio of such to a yardstick.
 *
 * @param {Figure} figure
 * @returns {'higher' | 'lower' | undefined}
 */
export function betterWayOf({ row, column }) {
  if (others.test(row) || neutral.test(column)) return undefined
  return higherIsBetter.test(`${column} ${row}`) ? 'higher' : 'lower'
}

/** A figure that was measured once is taken to vary by a quarter. */
const assumedSpread = 0.25

/** @param {Figure} figure */
function rangeOf({ value, low, high }) {
  return low === high ? [value * (1 - assumedSpread), value * (1 + assumedSpread)] : [low, high]
}

/**
 * Compares figures of the same section, table, row and column. Beyond the spread is what lies outside of both spreads: all that
 * was measured now is worse, or better, than all that was measured before.
 *
 * @param {readonly Figure[]} before
 * @param {readonly Figure[]} now
 * @param {{ isSameMachine: boolean }} options Figures with a unit say nothing about another machine: then only ratios are compared.
 * @returns {Comparison[]}
 */
export function compare(before, now, { isSameMachine }) {
  const old = new Map(before.map((figure) => [keyOf(figure), figure]))
  return now.flatMap((figure) => {
    const way = betterWayOf(figure)
    const earlier = old.get(keyOf(figure))
    if (!way || !earlier || earlier.unit !== figure.unit) return []
    if (!isSameMachine && figure.unit !== '') return []
    const [low = NaN, high = NaN] = rangeOf(figure)
    const [oldLow = NaN, oldHigh = NaN] = rangeOf(earlier)
    const isHigher = low > oldHigh
    const isLower = high < oldLow
    const isBetter = way === 'higher' ? isHigher : isLower
    const verdict = isBetter ? 'better' : isHigher || isLower ? 'worse' : 'within the spread'
    return [{ now: figure, before: earlier, ratio: figure.value / earlier.value, verdict }]
  })
}

/** @param {Figure} figure */
const keyOf = ({ section, table, row, column }) => [section, table, row, column].join(' | ')

/** @param {readonly Comparison[]} comparisons */
export function reportOf(comparisons) {
  const of = (/** @type {Comparison['verdict']} */ wanted) =>
    comparisons.filter(({ verdict }) => verdict === wanted)
  const lines = [...of('worse'), ...of('better')].map(({ now, before, ratio, verdict }) => {
    const name = [now.section, now.table, now.row, now.column].filter((part) => part !== '').join(' | ')
    return `${verdict}: ${name}: ${show(ratio)} times; before ${formatFigure(before)}, now ${formatFigure(now)}`
  })
  const count = `${comparisons.length} figures compared: ${of('worse').length} worse beyond both spreads, ${of('better').length} better, ${of('within the spread').length} within them.`
  return [...lines, count].join('\n')
}
