import { WorkBudget } from '../engine/work-budget.ts'
import { contentWords, wordsOf } from './word-list.ts'

export const defaultDimensions = 768
export const mostDimensions = 3_072

const buckets = 2_048

const embeddingWork = 'its embeddings'
/** The units of a character of the text, of a dimension of each direction that it has, and of a number that is written. */
const characterWork = 0.1
const directionWork = 0.005
const numberWork = 0.5

/**
 * A text as a vector of length 1, the same for every seed and model. Texts that share words and parts of words lie
 * near each other, others nearly at right angles. A shorter vector is the beginning of a longer one, made length 1
 * again.
 *
 * Words and their groups of three letters are counted in buckets by hash; each bucket has a direction of its own,
 * drawn by hash too.
 *
 * @assumed §2.6 embeddings are not shown; wire §8.5, with the vendor's 768 by default.
 * @param dimensions from 1 to 3072.
 * @returns numbers with seven decimals.
 * @throws {WorkRefused} when the budget runs out.
 */
export function embedText(
  text: string,
  dimensions: number = defaultDimensions,
  work: WorkBudget = new WorkBudget(),
): number[] {
  work.spend(text.length * characterWork, embeddingWork)
  const counted = new Float64Array(buckets)
  const add = (feature: string, weight: number): void => {
    counted[hash(feature) % buckets]! += weight
  }
  const telling = new Set(contentWords(text))
  for (const word of wordsOf(text)) {
    const weight = telling.has(word) ? 1 : 0.15
    add(word, weight)
    const framed = `<${word.slice(0, 40)}>`
    for (let at = 0; at + 3 <= framed.length; at++) add(`#${framed.slice(at, at + 3)}`, weight * 0.35)
  }
  // A text without words is told apart by its characters.
  if (counted.every((count) => count === 0)) add(`text ${text.slice(0, 1_000)}`, 1)

  const used = counted.reduce((sum, count) => sum + (count === 0 ? 0 : 1), 0)
  work.spend(dimensions * (used * directionWork + numberWork), embeddingWork)
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

/** FNV-1a: millions of features are hashed, and nothing depends on it but nearness. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return mix(value)
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** A number from -1 to 1 for each bucket and dimension. */
function direction(bucket: number, dimension: number): number {
  return mix(Math.imul(bucket + 1, 0x9e3779b1) ^ Math.imul(dimension + 1, 0x85ebca77)) / 2 ** 31 - 1
}
