const blockBytes = 64

/** SHA-256 (FIPS 180-4) at once and anywhere: for names of a few hundred bytes, of which there is one for each file. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.from(initial)
  const message = padded(bytes)
  const words = new Int32Array(blockBytes)
  for (let start = 0; start < message.byteLength; start += blockBytes) {
    takeBlock(new DataView(message.buffer, start, blockBytes), state, words)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => digest.setInt32(4 * index, word))
  return new Uint8Array(digest.buffer)
}

/** The SHA-256 of a text in UTF-8. */
export function sha256OfText(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text))
}

/** Bytes in hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** §5.1.1: a one, zeros, and the length in bits, so that it is whole blocks. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes)
  message.set(bytes)
  message[bytes.length] = 0x80
  const view = new DataView(message.buffer)
  view.setUint32(message.length - 8, Math.floor(bytes.length / 0x2000_0000))
  view.setUint32(message.length - 4, bytes.length << 3)
  return message
}

/** §6.2.2. */
function takeBlock(block: DataView, state: Int32Array, words: Int32Array): void {
  for (let t = 0; t < 16; t += 1) words[t] = block.getInt32(4 * t)
  for (let t = 16; t < 64; t += 1) {
    const [near, far] = [words[t - 2]!, words[t - 15]!]
    const nearMixed = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)
    const farMixed = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)
    words[t] = nearMixed + words[t - 7]! + farMixed + words[t - 16]!
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t += 1) {
    const choice = (e & f) ^ (~e & g)
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + constants[t]! + words[t]!) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, index) => (state[index]! += word))
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

const primes: readonly number[] = Array.from({ length: 310 }, (_, index) => index + 2).filter((candidate) => {
  for (let part = 2; part * part <= candidate; part += 1) if (candidate % part === 0) return false
  return true
})

/** §4.2.2: the first bits of the fractions of the cube roots of the first 64 primes. */
const constants = Int32Array.from(primes.slice(0, 64), (prime) => fractionBits(Math.cbrt(prime)))
/** §5.3.3: of the square roots of the first eight. */
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)))

function fractionBits(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0
}
