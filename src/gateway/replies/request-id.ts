import { alphanumerics, type Draws } from '../../engine/random/draws.ts'

const build = '8268d9d6'

/**
 * The id of an exchange, which every answer carries: UTC date and time, nine digits of nanoseconds, eight
 * characters fixed per build and eight drawn ones. The same request on the same clock has the same id,
 * whatever came before it.
 *
 * @assumed §7 request ids are not documented; wire §1.3.
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
    const words = draws.words('request.id', identity, attempt)
    const nanoseconds = (now % 1000) * 1_000_000 + (words[0]! % 1_000_000)
    // Journals keep these for long: joined, it is one text, not four that hang together.
    return [stamp, String(nanoseconds).padStart(9, '0'), build, lettersOf(words)].join('')
  }
}

/** Eight characters from the last three words of a draw. */
function lettersOf(words: Uint32Array): string {
  const at = (word: number, shift: number): number =>
    alphanumerics.charCodeAt(((words[word]! >>> shift) & 0x7ff) % alphanumerics.length)
  return String.fromCharCode(
    at(1, 0),
    at(1, 11),
    at(1, 21),
    at(2, 0),
    at(2, 11),
    at(2, 21),
    at(3, 0),
    at(3, 11),
  )
}
