import { load } from './load.js'
import { median, quantile, show, spread } from './figures.js'

/** @typedef {{ perSecond: number[], cpuMicroseconds: number[], p99Ms: number[] }} Result */

const rounds = Number(process.env['ROUNDS'] ?? 5)
const roundMs = Number(process.env['ROUND_MS'] ?? 1_000)
const connections = 16

/**
 * Lets servers take turns, so that whatever else a machine does befalls all of them alike.
 *
 * @param {Record<string, { url: string, cpuMs: () => number }>} servers
 * @param {(url: string) => string | (() => string)} requestFor
 * @returns {Promise<Record<string, Result>>}
 */
export async function contest(servers, requestFor) {
  /** @type {Record<string, Result>} */
  const results = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { url, cpuMs }] of Object.entries(servers)) {
      const before = cpuMs()
      const options = { url, request: requestFor(url), connections, durationMs: roundMs }
      const { requests, seconds, latenciesMs } = await load(options)
      const usedMs = cpuMs() - before
      // The first round only warms up.
      if (round === 0) continue
      results[name] ??= { perSecond: [], cpuMicroseconds: [], p99Ms: [] }
      results[name].perSecond.push(requests / seconds)
      results[name].cpuMicroseconds.push((usedMs * 1_000) / requests)
      results[name].p99Ms.push(quantile(latenciesMs, 0.99))
    }
  }
  return results
}

/** A table of ratios to the baseline, round by round. @param {Record<string, Result>} results */
export function table(results) {
  const { bare } = results
  if (!bare) throw new Error('the yardstick is missing')
  const rows = Object.entries(results).map(([name, result]) => {
    const cells = /** @type {(keyof Result)[]} */ (['perSecond', 'cpuMicroseconds', 'p99Ms']).map((key) => {
      const ratios = result[key].map((value, index) => value / (bare[key][index] ?? NaN))
      return name === 'bare' ? '1' : `${show(median(ratios))} (${spread(ratios)})`
    })
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [
    '| | answers in a second | processor time of each | 99th percentile of latency |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** How the contests are held, for readers of the figures. */
export const howContestsGo =
  `Ratios to bare node:http, which writes the same bytes; medians of ${rounds} rounds of ${roundMs / 1_000} s, in turns, ` +
  `with ${connections} connections, and the spread.`
