/** Writes bits, and H.264's variable-length numbers. */
export class Bits {
  #bytes = new Uint8Array(1024)
  #length = 0
  #pending = 0
  #pendingBits = 0

  /** Writes the lowest `count` bits of `value`, highest first; at most 24. */
  put(value: number, count: number): void {
    this.#pending = (this.#pending << count) | (value & ((1 << count) - 1))
    this.#pendingBits += count
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8
      this.#putByte((this.#pending >> this.#pendingBits) & 255)
    }
    this.#pending &= (1 << this.#pendingBits) - 1
  }

  /** Writes an Exponential-Golomb number, §9.1 of the standard: as many zeros as the number has bits after its first. */
  unsigned(value: number): void {
    const count = 32 - Math.clz32(value + 1)
    this.put(0, count - 1)
    this.put(value + 1, count)
  }

  /** The same for signed numbers: 0, 1, -1, 2, -2 … */
  signed(value: number): void {
    this.unsigned(value > 0 ? 2 * value - 1 : -2 * value)
  }

  /** Adds a one and zeros up to a full byte. Returns all bytes. */
  finish(): Uint8Array {
    this.put(1, 1)
    if (this.#pendingBits > 0) this.put(0, 8 - this.#pendingBits)
    return this.#bytes.subarray(0, this.#length)
  }

  #putByte(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = byte
  }
}

/**
 * Wraps the output of a bit writer into a NAL unit: a byte for its type, then the data. Emulation prevention bytes (3) are
 * inserted where two zeros and the next byte would look like a start code (§7.4.1).
 */
export function unitOf(options: { type: number; importance: number; payload: Uint8Array }): Uint8Array {
  const { type, importance, payload } = options
  const unit = new Uint8Array(1 + Math.ceil(payload.length * 1.5))
  unit[0] = (importance << 5) | type
  let length = 1
  let zeros = 0
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      unit[length++] = 3
      zeros = 0
    }
    unit[length++] = byte
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return unit.slice(0, length)
}

/** A table of variable-length codes in the standard: for each first index, a row of binary codes. */
type Codes = readonly (readonly { bits: number; length: number }[])[]

function codes(rows: string): Codes {
  return rows
    .trim()
    .split('\n')
    .map((row) =>
      row
        .trim()
        .split(/\s+/)
        .map((code) =>
          code === '-' ? { bits: 0, length: 0 } : { bits: parseInt(code, 2), length: code.length },
        ),
    )
}

/** The tables of a kind of block: sixteen levels of brightness, or four of colour. */
interface BlockKind {
  /** Row: the number of nonzero levels. Column: the number of trailing ones. */
  tokens: Codes
  /** Row: the number of nonzero levels, less one. Column: the number of zeros before the last of them. */
  zeros: Codes
}

/** Tables 9-5 (first column) and 9-7, 9-8. A block whose neighbours have no fine detail uses these. */
export const brightnessLevels: BlockKind = {
  tokens: codes(`
    1 - - -
    000101 01 - -
    00000111 000100 001 -
    000000111 00000110 0000101 00011
    0000000111 000000110 00000101 000011
    00000000111 0000000110 000000101 0000100
    0000000001111 00000000110 0000000101 00000100
    0000000001011 0000000001110 00000000101 000000100
    0000000001000 0000000001010 0000000001101 0000000100
    00000000001111 00000000001110 0000000001001 00000000100
    00000000001011 00000000001010 00000000001101 0000000001100
    000000000001111 000000000001110 00000000001001 00000000001100
    000000000001011 000000000001010 000000000001101 00000000001000
    0000000000001111 000000000000001 000000000001001 000000000001100
    0000000000001011 0000000000001110 0000000000001101 000000000001000
    0000000000000111 0000000000001010 0000000000001001 0000000000001100
    0000000000000100 0000000000000110 0000000000000101 0000000000001000
  `),
  zeros: codes(`
    1 011 010 0011 0010 00011 00010 000011 000010 0000011 0000010 00000011 00000010 000000011 000000010 000000001
    111 110 101 100 011 0101 0100 0011 0010 00011 00010 000011 000010 000001 000000
    0101 111 110 101 0100 0011 100 011 0010 00011 00010 000001 00001 000000
    00011 111 0101 0100 110 101 100 0011 011 0010 00010 00001 00000
    0101 0100 0011 111 110 101 100 011 0010 00001 0001 00000
    000001 00001 111 110 101 100 011 010 0001 001 000000
    000001 00001 101 100 011 11 010 0001 001 000000
    000001 0001 00001 011 11 10 010 001 000000
    000001 000000 0001 11 10 001 01 00001
    00001 00000 001 11 10 01 0001
    0000 0001 001 010 1 011
    0000 0001 01 1 001
    000 001 1 01
    00 01 1
    0 1
  `),
}

/** Tables 9-5 (last but one column) and 9-9. */
export const colourLevels: BlockKind = {
  tokens: codes(`
    01 - - -
    000111 1 - -
    000100 000110 001 -
    000011 0000011 0000010 000101
    000010 00000011 00000010 0000000
  `),
  zeros: codes(`
    1 01 001 000
    1 01 00
    1 0
  `),
}

/** Table 9-10. Row: the number of remaining zeros, less one, and at most 6. Column: the number of zeros before this level. */
const runs = codes(`
  1 0
  1 01 00
  11 10 01 00
  11 10 01 001 000
  11 10 011 010 001 000
  11 000 001 011 010 101 100
  111 110 101 100 011 010 001 0001 00001 000001 0000001 00000001 000000001 0000000001 00000000001
`)

/**
 * Writes one block of levels with the context-adaptive variable-length codes of §9.2, last level first: the number of
 * nonzero levels, the trailing ones, the other levels, and the positions of the zeros between them.
 * @param levels in the order of the standard's scan; as many as the kind of block has.
 */
export function putLevels(bits: Bits, kind: BlockKind, levels: ArrayLike<number>): void {
  const { values, zerosBefore } = withoutZeros(levels)
  const ones = trailingOnes(values)
  putCode(bits, kind.tokens, values.length, ones)
  if (values.length === 0) return

  for (let i = 0; i < ones; i += 1) bits.put(values[i]! < 0 ? 1 : 0, 1)
  putLargeLevels(bits, values, ones)

  let zerosLeft = zerosBefore.reduce((total, zeros) => total + zeros, 0)
  if (values.length < levels.length) putCode(bits, kind.zeros, values.length - 1, zerosLeft)
  for (let i = 0; i < values.length - 1 && zerosLeft > 0; i += 1) {
    putCode(bits, runs, Math.min(zerosLeft, 7) - 1, zerosBefore[i]!)
    zerosLeft -= zerosBefore[i]!
  }
}

/** The nonzero levels, last first, each with the number of zeros before it in the scan. */
function withoutZeros(levels: ArrayLike<number>): { values: number[]; zerosBefore: number[] } {
  const values: number[] = []
  const zerosBefore: number[] = []
  for (let i = levels.length - 1; i >= 0; i -= 1) {
    if (levels[i] !== 0) {
      values.push(levels[i]!)
      zerosBefore.push(0)
    } else if (values.length > 0) {
      zerosBefore[zerosBefore.length - 1]! += 1
    }
  }
  return { values, zerosBefore }
}

function trailingOnes(values: number[]): number {
  let ones = 0
  while (ones < 3 && ones < values.length && Math.abs(values[ones]!) === 1) ones += 1
  return ones
}

/** §9.2.2.1: a unary prefix, and a suffix that grows with the previous levels. */
function putLargeLevels(bits: Bits, values: number[], ones: number): void {
  let suffixLength = values.length > 10 && ones < 3 ? 1 : 0
  for (let i = ones; i < values.length; i += 1) {
    const value = values[i]!
    let code = value > 0 ? 2 * value - 2 : -2 * value - 1
    // After fewer than three ones, the next level can't be a one, so its codes shift down.
    if (i === ones && ones < 3) code -= 2

    if (suffixLength === 0 && code < 14) {
      bits.put(1, code + 1)
    } else if (suffixLength === 0 && code < 30) {
      bits.put(1, 15)
      bits.put(code - 14, 4)
    } else if (suffixLength > 0 && code < 15 << suffixLength) {
      bits.put(1, (code >> suffixLength) + 1)
      bits.put(code, suffixLength)
    } else {
      bits.put(1, 16)
      bits.put(code - (suffixLength === 0 ? 30 : 15 << suffixLength), 12)
    }

    if (suffixLength === 0) suffixLength = 1
    if (Math.abs(value) > 3 << (suffixLength - 1) && suffixLength < 6) suffixLength += 1
  }
}

function putCode(bits: Bits, table: Codes, row: number, column: number): void {
  const code = table[row]![column]!
  bits.put(code.bits, code.length)
}
