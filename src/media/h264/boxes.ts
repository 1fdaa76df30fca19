/** The position of a box in an MP4 file (ISO/IEC 14496-12 §4.2). */
interface Mp4Box {
  name: string
  start: number
  end: number
}

/** Limits the work on a foreign file: 20 MB can contain 2.5 million empty boxes. */
const maxBoxes = 10_000

/** Finds consecutive boxes, up to the first incomplete one. */
export function boxesOf(bytes: Uint8Array): Mp4Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const boxes: Mp4Box[] = []
  for (let start = 0; boxes.length < maxBoxes && start + 8 <= bytes.length;) {
    const size = view.getUint32(start)
    if (size < 8 || start + size > bytes.length) break
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8))
    boxes.push({ name, start, end: start + size })
    start += size
  }
  return boxes
}

/** @param name four Latin-1 characters. */
export function box(name: string, ...parts: Uint8Array[]): Uint8Array {
  const size = parts.reduce((total, part) => total + part.length, 8)
  return joinBytes([u32(size), latin1(name), ...parts])
}

/** A box that begins with version 0 and flags. */
export function fullBox(name: string, flags: number, ...parts: Uint8Array[]): Uint8Array {
  return box(name, u32(flags), ...parts)
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let position = 0
  for (const part of parts) {
    whole.set(part, position)
    position += part.length
  }
  return whole
}

export function u32(...values: number[]): Uint8Array {
  return bytes(...values.flatMap((value) => [value >>> 24, value >>> 16, value >>> 8, value]))
}

export function u16(...values: number[]): Uint8Array {
  return bytes(...values.flatMap((value) => [value >> 8, value]))
}

/** The lowest eight bits of each number. */
export function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

export function zeros(length: number): Uint8Array {
  return new Uint8Array(length)
}

/** A text in Latin-1. */
export function latin1(value: string): Uint8Array {
  return Uint8Array.from(value, (character) => character.charCodeAt(0))
}

export function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}
