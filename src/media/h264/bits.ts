/** Writes bits one after the other, and H.264's variable numbers made of them. */
export class Bits {
  #bytes = new Uint8Array(1024)
  #length = 0
  #pending = 0
  #pendingBits = 0

  /** The lowest `count` bits of `value`, highest first; at most 24. */
  put(value: number, count: number): void {
    this.#pending = (this.#pending << count) | (value & ((1 << count) - 1))
    this.#pendingBits += count
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8
      this.#putByte((this.#pending >> this.#pendingBits) & 255)
    }
    this.#pending &= (1 << this.#pendingBits) - 1
  }

  /** Exponential-Golomb, §9.1 of the standard: as many zeros as the number has bits after its first. */
  unsigned(value: number): void {
    const count = 32 - Math.clz32(value + 1)
    this.put(0, count - 1)
    this.put(value + 1, count)
  }

  /** The same for numbers of either sign: 0, 1, -1, 2, -2 … */
  signed(value: number): void {
    this.unsigned(value > 0 ? 2 * value - 1 : -2 * value)
  }

  /** Ends with a one and zeros to the full byte, and gives all bytes. */
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
 * Wraps what a bit writer gave into a network abstraction layer unit: a byte that says what it is, and a 3
 * before every byte that would look like a start code together with the two zeros before it (§7.4.1).
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
