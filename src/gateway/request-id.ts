import { alphanumerics, type Draws } from '../engine/draws.ts'

const build = '8268d9d6'

/**
 * The id of an exchange, which every answer carries: UTC date and time, nine digits of nanoseconds, eight
 * characters fixed per build and eight drawn ones. The same request on the same clock has the same id,
 * whatever came before it.
 *
 * @assumed §7 request ids are not shown; wire §1.3.
 * @returns a function of the instant, the request's identity and how often it came before.
 */
export function requestIds(draws: Draws): (now: number, identity: string, attempt: number) => string {
  // Requests come many to the second, and writing a date is slow.
  let second = -1
  let stamp = ''

  return (now, identity, attempt) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)
    }
    const [first = 0, ...others] = draws.words('request.id', identity, attempt)
    const nanoseconds = (now % 1000) * 1_000_000 + (first % 1_000_000)
    return `${stamp}${String(nanoseconds).padStart(9, '0')}${build}${lettersOf(others)}`
  }
}

/** Eight characters from three words. */
function lettersOf(words: readonly number[]): string {
  let letters = ''
  for (const word of words) {
    for (const shift of [0, 11, 22]) letters += alphanumerics[((word >>> shift) & 0x7ff) % 62]!
  }
  return letters.slice(0, 8)
}
