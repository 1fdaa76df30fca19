import { murmur3 } from './hash.ts'

/**
 * Random draws without a stream: each number is a hash of what it is for. It depends neither on the draws before
 * it nor on the order in which requests arrive, and one seed gives the same numbers in Node and in browsers.
 *
 * A draw is the first 53 bits of MurmurHash3_x86_128 over the UTF-8 text `seed␀purpose␀subject␀n`.
 */
export interface Draws {
  readonly seed: string
  /**
   * @param purpose why a number is needed, such as `video.queued` or a rule's id.
   * @param subject what the draw is about: a task, or the identity of a request that has no task yet.
   * @param n which draw of this purpose for this subject, from 0.
   * @returns a number in [0, 1) with 53 random bits.
   */
  unit(purpose: string, subject: string, n: number): number
  /** All 128 bits of a draw, as four 32-bit words. Read them before the next draw: the array is reused. */
  words(purpose: string, subject: string, n: number): Uint32Array
  /** A whole number from 0 to `below` - 1. */
  integer(below: number, purpose: string, subject: string, n: number): number
  /** A text of `length` characters of `alphabet`, such as a task id. */
  text(alphabet: string, length: number, purpose: string, subject: string, n: number): string
}

export const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** @param seed the number or text that all random draws of a simulator come from. */
export function keyedDraws(seed: string | number): Draws {
  const text = String(seed)

  function words(purpose: string, subject: string, n: number): Uint32Array {
    return murmur3(`${text}\0${purpose}\0${subject}\0${n}`)
  }

  function unit(purpose: string, subject: string, n: number): number {
    const bits = words(purpose, subject, n)
    return ((bits[0]! >>> 5) * 2 ** 26 + (bits[1]! >>> 6)) / 2 ** 53
  }

  /** Reused by every call: most texts are ids of the same length. */
  const codes: number[] = []

  return {
    seed: text,
    words,
    unit,
    integer: (below, purpose, subject, n) => Math.floor(unit(purpose, subject, n) * below),
    text(alphabet, length, purpose, subject, n) {
      let count = 0
      // A 32-bit word has far more values than two characters, so no character is noticeably likelier than another.
      for (let block = 0; count < length; block++) {
        for (const word of words(`${purpose}/${block}`, subject, n)) {
          codes[count++] = alphabet.charCodeAt((word & 0xffff) % alphabet.length)
          codes[count++] = alphabet.charCodeAt((word >>> 16) % alphabet.length)
        }
      }
      codes.length = length
      return String.fromCharCode(...codes)
    },
  }
}
