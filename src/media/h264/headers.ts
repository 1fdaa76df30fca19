import { Bits, unitOf } from './coefficients.ts'

/** The size of a clip: pixels, and whole frames per second. */
interface ClipShape {
  width: number
  height: number
  framesPerSecond: number
}

/** The number of macroblocks, of 16 by 16 pixels, that cover a clip. */
export function macroblocksOf(shape: { width: number; height: number }): { columns: number; rows: number } {
  return { columns: Math.ceil(shape.width / 16), rows: Math.ceil(shape.height / 16) }
}

/**
 * With this quantiser, and one six finer for colour, one level is exactly one step of an 8-bit sample: the arithmetic of
 * §8.5.10 and §8.5.11 cancels out.
 */
const quantiser = 28
const colourQuantiserOffset = -6

const constrainedBaseline = { profile: 66, constraints: 0b1100_0000 }
const bitsOfFrameNumber = 8

/** §7.3.2.1: the parameters that a decoder needs before the first picture. */
export function sequenceParameters(shape: ClipShape): Uint8Array {
  const { columns, rows } = macroblocksOf(shape)
  const bits = new Bits()
  bits.put(constrainedBaseline.profile, 8)
  bits.put(constrainedBaseline.constraints, 8)
  bits.put(levelOf(shape), 8)
  bits.unsigned(0) // Its number.
  bits.unsigned(bitsOfFrameNumber - 4)
  bits.unsigned(2) // Output order is decoding order.
  bits.unsigned(1) // One reference picture.
  bits.put(0, 1) // Frame numbers have no gaps.
  bits.unsigned(columns - 1)
  bits.unsigned(rows - 1)
  bits.put(0b11, 2) // Whole frames, never fields; the usual inference of motion.
  putCropping(bits, shape, { columns, rows })
  bits.put(1, 1)
  putUsability(bits, shape)
  return unitOf({ type: 7, importance: 3, payload: bits.finish() })
}

/** §7.3.2.2: the parameters that all pictures share, in addition to those of the sequence. */
export function pictureParameters(): Uint8Array {
  const bits = new Bits()
  bits.unsigned(0) // Its number, and that of its sequence parameters.
  bits.unsigned(0)
  bits.put(0b00, 2) // Variable-length codes; no order given for the bottom field.
  bits.unsigned(0) // One slice group.
  bits.unsigned(0) // One reference picture in both lists.
  bits.unsigned(0)
  bits.put(0b000, 3) // No weighted prediction.
  bits.signed(quantiser - 26)
  bits.signed(0)
  bits.signed(colourQuantiserOffset)
  bits.put(0b100, 3) // Slices say whether edges are smoothed. No constrained intra prediction, no redundant pictures.
  return unitOf({ type: 8, importance: 3, payload: bits.finish() })
}

/** §7.3.3: begins a slice that covers the whole picture. Neighbouring key pictures must have different `keyNumber`s. */
export function sliceHeader(
  slice: { key: true; keyNumber: number } | { key: false; frameNumber: number },
): Bits {
  const bits = new Bits()
  bits.unsigned(0) // It begins at the first macroblock.
  bits.unsigned(slice.key ? 7 : 5)
  bits.unsigned(0)
  bits.put(slice.key ? 0 : slice.frameNumber, bitsOfFrameNumber)
  if (slice.key) bits.unsigned(slice.keyNumber)
  // Key picture: nothing is discarded early, no long-term reference. Others: default list and default marking.
  bits.put(0, slice.key ? 2 : 3)
  bits.signed(0)
  bits.unsigned(1) // Edges stay sharp.
  return bits
}

function putCropping(
  bits: Bits,
  { width, height }: ClipShape,
  { columns, rows }: { columns: number; rows: number },
): void {
  const right = (columns * 16 - width) / 2
  const bottom = (rows * 16 - height) / 2
  const isCropped = right > 0 || bottom > 0
  bits.put(isCropped ? 1 : 0, 1)
  if (!isCropped) return
  bits.unsigned(0)
  bits.unsigned(right)
  bits.unsigned(0)
  bits.unsigned(bottom)
}

/** Annex E: colours by BT.709 in studio range, a constant frame rate, and no delays. */
function putUsability(bits: Bits, { framesPerSecond }: ClipShape): void {
  bits.put(0b00, 2) // No aspect ratio, no overscan.
  bits.put(1, 1)
  bits.put(5, 3) // Video format unspecified.
  bits.put(0b01, 2) // Studio range; colours described.
  for (let i = 0; i < 3; i += 1) bits.put(1, 8)
  bits.put(0b01, 2) // No location of colour samples; times follow.
  put32(bits, 1)
  put32(bits, 2 * framesPerSecond)
  bits.put(1, 1)
  bits.put(0b00, 2) // No buffering models.
  bits.put(0, 1)
  bits.put(0b11, 2) // Restrictions follow; motion may cross edges.
  bits.unsigned(0)
  bits.unsigned(0)
  bits.unsigned(16)
  bits.unsigned(16)
  bits.unsigned(0) // No reordering,
  bits.unsigned(1) // and one reference picture.
}

function put32(bits: Bits, value: number): void {
  bits.put(value >>> 16, 16)
  bits.put(value & 0xffff, 16)
}

/** Table A-1: the lowest level that allows the frame size and the macroblocks per second. */
function levelOf(shape: ClipShape): number {
  const { columns, rows } = macroblocksOf(shape)
  const frame = columns * rows
  const perSecond = frame * shape.framesPerSecond
  const longest = Math.max(columns, rows)
  const found = levels.find(
    (level) => frame <= level.frame && perSecond <= level.perSecond && longest ** 2 <= 8 * level.frame,
  )
  return (found ?? levels.at(-1)!).level
}

const levels = [
  { level: 10, frame: 99, perSecond: 1485 },
  { level: 11, frame: 396, perSecond: 3000 },
  { level: 12, frame: 396, perSecond: 6000 },
  { level: 13, frame: 396, perSecond: 11_880 },
  { level: 21, frame: 792, perSecond: 19_800 },
  { level: 22, frame: 1620, perSecond: 20_250 },
  { level: 30, frame: 1620, perSecond: 40_500 },
  { level: 31, frame: 3600, perSecond: 108_000 },
  { level: 32, frame: 5120, perSecond: 216_000 },
  { level: 40, frame: 8192, perSecond: 245_760 },
  { level: 42, frame: 8704, perSecond: 522_240 },
  { level: 50, frame: 22_080, perSecond: 589_824 },
  { level: 51, frame: 36_864, perSecond: 983_040 },
  { level: 52, frame: 36_864, perSecond: 2_073_600 },
  { level: 60, frame: 139_264, perSecond: 4_177_920 },
]
