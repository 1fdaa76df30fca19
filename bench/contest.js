import { load } from './load.js'
import { cellOf, quantile, ratiosOf } from './figures.js'

/** @typedef {{ perSecond: number[], cpuMicroseconds: number[], p99Ms: number[] }} Result */

export const rounds = Number(process.env['ROUNDS'] ?? 5)
export const roundMs = Number(process.env['ROUND_MS'] ?? 1_000)
const connections = 16
// Just-in-time compilers need a while, those of Java most of all.
const warmUps = 2

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
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, { url, cpuMs }] of Object.entries(servers)) {
      const before = cpuMs()
      const options = { url, request: requestFor(url), connections, durationMs: roundMs }
      const { requests, seconds, latenciesMs } = await load(options)
      const usedMs = cpuMs() - before
      if (round < 0) continue
      results[name] ??= { perSecond: [], cpuMicroseconds: [], p99Ms: [] }
      results[name].perSecond.push(requests / seconds)
      results[name].cpuMicroseconds.push((usedMs * 1_000) / requests)
      results[name].p99Ms.push(quantile(latenciesMs, 0.99))
    }
  }
  return results
}

const columns = /** @type {(keyof Result)[]} */ (['perSecond', 'cpuMicroseconds', 'p99Ms'])

/**
 * A table of ratios, computed round by round: of all to `bare`, and of greenroom to aimock.
 *
 * @param {Record<string, Result>} results
 */
export function table(results) {
  const { bare, greenroom, aimock } = results
  if (!bare || !greenroom) throw new Error('the yardstick is missing')
  const row = (/** @type {string} */ name, /** @type {Result} */ result, /** @type {Result} */ yardstick) => {
    const cells = columns.map((key) =>
      result === bare ? '1' : cellOf(ratiosOf(result[key], yardstick[key])),
    )
    return `| ${name} | ${cells.join(' | ')} |`
  }
  return [
    '| | answers in a second | processor time of each | 99th percentile of latency |',
    '|---|---|---|---|',
    ...Object.entries(results).map(([name, result]) => row(name, result, bare)),
    ...(aimock ? [row('greenroom relative to aimock', greenroom, aimock)] : []),
  ].join('\n')
}

/** How the contests are held, for readers of the figures. */
export const howContestsGo =
  `Ratios to bare node:http, which writes the same bytes; medians of ${rounds} rounds of ${roundMs / 1_000} s, in turns, ` +
  `with ${connections} connections, and the spread.`
