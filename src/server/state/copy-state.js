// A program of its own: it reads all values of a state, and writes them into a new file. On damaged pages LMDB ends its process
// by a signal, which must not be the server's.
//
// In:  JSON { from, to }.
// Out: JSON of a Copied.
import { readFileSync, statSync } from 'node:fs'
import { open } from 'lmdb'
import { leaveInterruptsToOthers, writeAll } from '../../media/encode/pipes.js'
import { digestOf, headKey, indexKeyOf, StateSum, sumKey } from './state-sum.js'

/**
 * What was found: `stored` is the sum that the server wrote, `sum` that of the values that were read, if they could be.
 * @typedef {{ head?: string, stored?: string, sum?: string, error?: { message: string, code?: string | number } }} Copied
 * @typedef {string | [part: string, place: number]} Key
 * @typedef {import('lmdb').RootDatabase<string, Key>} Database
 */

/** As in the server: committed on return, and flushed to the disk. */
const flushed = /** @type {number} */ (3)
const settings = /** @type {const} */ ({ encoding: 'string', overlappingSync: false, noSubdir: true })

const standardInput = 0
leaveInterruptsToOthers()
const copied = await copyState(JSON.parse(readFileSync(standardInput, 'utf8')))
writeAll(Buffer.from(JSON.stringify(copied)))

/**
 * @param {{ from: string, to: string }} paths
 * @returns {Promise<Copied>}
 */
async function copyState({ from, to }) {
  const sum = new StateSum()
  /** @type {Copied} */
  const copied = {}
  /** @type {[Key, string][]} */
  const entries = []
  try {
    for (const [key, value] of readAll(from)) {
      if (key === sumKey) copied.stored = value
      // All other texts are an index, which is written again.
      if (typeof key === 'string' && key !== headKey) continue
      if (key === headKey) copied.head = value
      const digest = digestOf(key, value)
      sum.add(digest)
      entries.push([key, value])
      if (typeof key === 'string') continue
      const [names] = JSON.parse(value)
      entries.push([indexKeyOf(key[0], names), JSON.stringify([key[1], digest])])
    }
  } catch {
    return copied
  }
  const text = String(sum)
  copied.sum = text
  if (copied.stored !== copied.sum) return copied
  try {
    /** @type {Database} */
    const target = open({ path: to, ...settings })
    target.transactionSync(() => {
      for (const [key, value] of entries) target.putSync(key, value)
      target.putSync(sumKey, text)
    }, flushed)
    await target.close()
  } catch (error) {
    const { message: what, code } = /** @type {Error & { code?: string | number }} */ (error)
    copied.error = { message: what, ...(code !== undefined && { code }) }
  }
  return copied
}

/**
 * @param {string} path
 * @returns {Generator<[Key, string]>}
 */
function* readAll(path) {
  /** @type {Database} */
  const source = open({ path, readOnly: true, ...settings })
  // Damaged pages may form a circle.
  let bytesLeft = statSync(path).size
  for (const { key, value } of source.getRange({})) {
    bytesLeft -= value.length
    if (bytesLeft < 0) throw new Error('it has more values than bytes')
    yield [key, value]
  }
}
