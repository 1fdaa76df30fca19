import { hash } from 'node:crypto'

// Shared with a child process, which runs without a build.

/** The head: what the state says of itself. */
export const headKey = 'head'
/** The sum of all values and the head. */
export const sumKey = 'sum'

/** LMDB takes keys of 1978 bytes. */
const maxKeyLength = 600

/**
 * The key of the place of a value.
 *
 * @param {string} part
 * @param {readonly string[]} names
 */
export function indexKeyOf(part, names) {
  const key = JSON.stringify([part, ...names])
  if (key.length <= maxKeyLength) return key
  return JSON.stringify([part, String(names[0]).slice(0, 64), hash('sha256', key, 'hex').slice(0, 32)])
}

/**
 * The digest of a value as it is stored.
 *
 * @param {string | [part: string, place: number]} key
 * @param {string} text
 * @returns {string} 32 hexadecimal digits
 */
export function digestOf(key, text) {
  return hash('sha256', `${JSON.stringify(key)}\n${text}`, 'hex').slice(0, 32)
}

/** How many values a state has, and the XOR of their digests: each transaction updates both without reading the rest. */
export class StateSum {
  count = 0
  #digest = 0n

  /** @param {string} text as {@link StateSum.toString} writes it */
  static parse(text) {
    const [count, digest] = JSON.parse(text)
    const sum = new StateSum()
    sum.count = count
    sum.#digest = BigInt(`0x${digest}`)
    return sum
  }

  /** @param {string} digest */
  add(digest) {
    this.count += 1
    this.#digest ^= BigInt(`0x${digest}`)
  }

  /** @param {string} digest */
  subtract(digest) {
    this.count -= 1
    this.#digest ^= BigInt(`0x${digest}`)
  }

  clear() {
    this.count = 0
    this.#digest = 0n
  }

  /** @returns {StateSum} a copy, for a transaction that may fail */
  copy() {
    const copy = new StateSum()
    copy.count = this.count
    copy.#digest = this.#digest
    return copy
  }

  /** As it is stored. */
  toString() {
    return JSON.stringify([this.count, this.#digest.toString(16)])
  }
}
