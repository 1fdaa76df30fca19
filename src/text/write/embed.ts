import { fnv1a, mixBits } from '../../engine/random/hash.ts'
import { tellingOf, wordsOf } from './word-list.ts'

export const defaultDimensions = 768
export const maxDimensions = 3_072

const buckets = 2_048

/**
 * Embeds a text as a unit vector, the same for every seed and model. Texts with common words or parts of words are close;
 * others are nearly orthogonal. A shorter vector is the normalized prefix of a longer one.
 *
 * Words and their trigrams are counted in hash buckets; each bucket has a direction, also from a hash.
 *
 * @assumed §2.6 embeddings are undocumented; wire §8.5, with the vendor's 768 by default.
 * @param dimensions from 1 to 3072.
 * @returns numbers with seven decimals.
 */
export function embedText(text: string, dimensions: number): number[] {
  const counted = new Float64Array(buckets)
  const add = (hashed: number, weight: number): void => {
    counted[hashed % buckets]! += weight
  }
  const words = wordsOf(text)
  const telling = new Set(tellingOf(words))
  for (const word of words) {
    const weight = telling.has(word) ? 1 : 0.15
    add(hash(word), weight)
    const framed = `<${word.slice(0, 40)}>`
    for (let at = 0; at + 3 <= framed.length; at++) add(hash(`#${framed.slice(at, at + 3)}`), weight * 0.35)
  }
  // A text without words is identified by its characters.
  if (counted.every((count) => count === 0)) add(hash(`text ${text.slice(0, 1_000)}`), 1)

  const vector = new Float64Array(dimensions)
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (counted[bucket] === 0) continue
    const count = Math.sqrt(counted[bucket]!)
    for (let dimension = 0; dimension < dimensions; dimension++) {
      vector[dimension]! += count * direction(bucket, dimension)
    }
  }
  const length = Math.hypot(...vector)
  return Array.from(vector, (value) => Number((value / length).toFixed(7)))
}

function hash(text: string): number {
  return mixBits(fnv1a(text)) >>> 0
}

/** A number from -1 to 1 for each bucket and dimension. */
function direction(bucket: number, dimension: number): number {
  return (
    (mixBits(Math.imul(bucket + 1, 0x9e3779b1) ^ Math.imul(dimension + 1, 0x85ebca77)) >>> 0) / 2 ** 31 - 1
  )
}
