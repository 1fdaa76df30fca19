const encoder = new TextEncoder()
const scratch = new Uint8Array(4096)
const scratchView = new DataView(scratch.buffer)
const words = new Uint32Array(4)

const c1 = 0x239b961b
const c2 = 0xab0e9789
const c3 = 0x38b34ae5
const c4 = 0xa1e38b93

/**
 * MurmurHash3_x86_128 (Austin Appleby, public domain) with seed 0: quick, synchronous, and the same on every machine.
 * It is no cryptographic hash: files and uploads are named by SHA-256 instead.
 *
 * @param text hashed as UTF-8.
 * @returns four 32-bit words. Read them before the next hash: the array is reused.
 */
export function murmur3(text: string): Uint32Array {
  const { read, written } = encoder.encodeInto(text, scratch)
  const isWhole = read === text.length
  const bytes = isWhole ? scratch : encoder.encode(text)
  const view = isWhole ? scratchView : new DataView(bytes.buffer, bytes.byteOffset)
  const length = isWhole ? written : bytes.length

  let h1 = 0
  let h2 = 0
  let h3 = 0
  let h4 = 0
  const blockEnd = length & ~15
  for (let at = 0; at < blockEnd; at += 16) {
    h1 ^= scramble(word(view, at), c1, 15, c2)
    h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0
    h2 ^= scramble(word(view, at + 4), c2, 16, c3)
    h2 = (Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747) | 0
    h3 ^= scramble(word(view, at + 8), c3, 17, c4)
    h3 = (Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35) | 0
    h4 ^= scramble(word(view, at + 12), c4, 18, c1)
    h4 = (Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17) | 0
  }

  h4 ^= scramble(tailWord(bytes, blockEnd + 12, length), c4, 18, c1)
  h3 ^= scramble(tailWord(bytes, blockEnd + 8, length), c3, 17, c4)
  h2 ^= scramble(tailWord(bytes, blockEnd + 4, length), c2, 16, c3)
  h1 ^= scramble(tailWord(bytes, blockEnd, length), c1, 15, c2)

  h1 ^= length
  h2 ^= length
  h3 ^= length
  h4 ^= length
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  h1 = mixBits(h1)
  h2 = mixBits(h2)
  h3 = mixBits(h3)
  h4 = mixBits(h4)
  h1 = (h1 + h2 + h3 + h4) | 0
  words[0] = h1
  words[1] = h2 + h1
  words[2] = h3 + h1
  words[3] = h4 + h1
  return words
}

/** The hash as 32 hexadecimal digits. */
export function hash128Hex(text: string): string {
  let at = 0
  for (const word of murmur3(text))
    for (let shift = 28; shift >= 0; shift -= 4)
      hexCodes[at++] = '0123456789abcdef'.charCodeAt((word >>> shift) & 15)
  return String.fromCharCode(...hexCodes)
}

/** Reused: one flat string of codes is cheaper to write and to look up than a concatenated one. */
const hexCodes = Array.from({ length: 32 }, () => 0)

const hashedKey = /^#[0-9a-f]{32}$/

/**
 * Hashes an API key: it is counted and stored by its hash, so no file or report contains a working key. A namespace's
 * key is not a secret and stays as it is, as does a hash.
 *
 * @example
 * hashApiKey('sk-sim-team') // 'sk-sim-team'
 * hashApiKey('sk-proj-123').length // 33
 */
export function hashApiKey(credential: string): string {
  if (credential === '' || credential.startsWith('sk-sim-') || hashedKey.test(credential)) return credential
  return `#${hash128Hex(credential)}`
}

function word(view: DataView, at: number): number {
  return view.getInt32(at, true)
}

/** Reads a word at the end of the input. Bytes beyond the end count as 0. */
function tailWord(bytes: Uint8Array, from: number, length: number): number {
  let value = 0
  for (let at = from; at < Math.min(from + 4, length); at++) value |= bytes[at]! << ((at - from) * 8)
  return value
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

function scramble(value: number, first: number, by: number, second: number): number {
  return Math.imul(rotate(Math.imul(value, first), by), second)
}

/** Murmur3's finalizer: each bit of the input changes half of the bits of the result. */
export function mixBits(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** FNV-1a (Fowler, Noll, Vo, public domain): 32 bits, for millions of short texts. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
