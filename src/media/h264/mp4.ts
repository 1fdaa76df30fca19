import { box, bytes, fullBox, joined, text, u16, u32, zeros } from './boxes.ts'

/**
 * Puts H.264 pictures into an MP4 file that can be played while it downloads: `ftyp`, `moov`, `mdat`, one
 * track, a constant frame rate, no times of creation. Written here instead of by an encoder's muxer, so that
 * a clip needs no temporary file, no second run of the encoder, and is the same everywhere.
 * @param options width and height in pixels; framesPerSecond a whole number; pictures in order of display.
 */
export function mp4(options: {
  width: number
  height: number
  framesPerSecond: number
  stream: Pictures
}): Uint8Array {
  const { pictures } = options.stream
  const sizes = pictures.map(({ units }) => units.reduce((total, unit) => total + 4 + unit.length, 0))
  const dataSize = sizes.reduce((total, size) => total + size, 0)

  const fileType = box('ftyp', text('isom'), u32(0x200), text('isomiso2avc1mp41'))
  // The offset of the pictures is written inside the index whose own length decides it, so measure it first.
  const indexSize = movie(options, sizes, 0).length
  const index = movie(options, sizes, fileType.length + indexSize + 8)

  const units = pictures.flatMap((picture) => picture.units.flatMap((unit) => [u32(unit.length), unit]))
  return joined([fileType, index, u32(8 + dataSize), text('mdat'), ...units])
}

/** Ticks of the track's clock that one frame lasts: enough that players see no rounding. */
const ticksPerFrame = 512
const millisecondsPerSecond = 1000

function movie(
  options: { width: number; height: number; framesPerSecond: number; stream: Pictures },
  sizes: number[],
  dataOffset: number,
): Uint8Array {
  const { width, height, framesPerSecond, stream } = options
  const frames = stream.pictures.length
  const durationMs = Math.round((frames * millisecondsPerSecond) / framesPerSecond)
  const keys = stream.pictures.flatMap(({ key }, index) => (key ? [index + 1] : []))

  const header = u32(0, 0, millisecondsPerSecond, durationMs, 0x10000)
  const movieHeader = fullBox('mvhd', 0, header, u16(0x100), zeros(10), identity, zeros(24), u32(2))
  const place = [u32(0, 0, 1, 0, durationMs), zeros(16), identity]
  const size = u32(width * 0x10000, height * 0x10000)
  const times = u32(0, 0, framesPerSecond * ticksPerFrame, frames * ticksPerFrame)
  const samples = box(
    'stbl',
    fullBox('stsd', 0, u32(1), sampleEntry(options)),
    fullBox('stts', 0, u32(1, frames, ticksPerFrame)),
    fullBox('stss', 0, u32(keys.length, ...keys)),
    fullBox('stsc', 0, u32(1, 1, frames, 1)),
    fullBox('stsz', 0, u32(0, frames, ...sizes)),
    fullBox('stco', 0, u32(1, dataOffset)),
  )
  const media = box(
    'mdia',
    fullBox('mdhd', 0, times, u16(undeterminedLanguage, 0)),
    fullBox('hdlr', 0, u32(0), text('vide'), zeros(12), text('VideoHandler\0')),
    box(
      'minf',
      fullBox('vmhd', 1, zeros(8)),
      box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', dataIsInThisFile))),
      samples,
    ),
  )
  return box(
    'moov',
    movieHeader,
    box('trak', fullBox('tkhd', trackIsEnabledAndVisible, ...place, size), media),
  )
}

function sampleEntry(options: { width: number; height: number; stream: Pictures }): Uint8Array {
  const { sequenceParameters, pictureParameters } = options.stream
  // Profile, its constraints and level are bytes 1 to 3 of the sequence parameters.
  const profile = sequenceParameters.subarray(1, 4)
  const hasHighProfile = (profile[0] ?? 0) >= 100
  return box(
    'avc1',
    zeros(6),
    u16(1),
    zeros(16),
    u16(options.width, options.height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    zeros(32),
    u16(24, 0xffff),
    box(
      'avcC',
      bytes(1),
      profile,
      bytes(0xff, 0xe1),
      u16(sequenceParameters.length),
      sequenceParameters,
      bytes(1),
      u16(pictureParameters.length),
      pictureParameters,
      // A High profile repeats here: 4:2:0, 8 bits for brightness, 8 for colour, no extensions.
      hasHighProfile ? bytes(0xfd, 0xf8, 0xf8, 0) : bytes(),
    ),
    box('colr', text('nclx'), u16(1, 1, 1), bytes(0)),
    box('pasp', u32(1, 1)),
  )
}

const trackIsEnabledAndVisible = 3
const dataIsInThisFile = 1
/** Three letters, five bits each: `und`. */
const undeterminedLanguage = 0x55c4
const identity = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** An H.264 stream taken apart: the parameter sets that describe it, and one list of units for each picture. */
export interface Pictures {
  sequenceParameters: Uint8Array
  pictureParameters: Uint8Array
  pictures: Picture[]
}

export interface Picture {
  units: Uint8Array[]
  /** Whether a player can start here. */
  key: boolean
}

const unitType = { slice: 1, keySlice: 5, sequenceParameters: 7, pictureParameters: 8 } as const

/**
 * Takes an Annex B byte stream (units between start codes) apart into pictures. Each picture must be one
 * slice or several in order, and the parameter sets must not change on the way; our encoders see to that.
 * @throws {Error} when a parameter set or every picture is missing.
 */
export function picturesOf(stream: Uint8Array): Pictures {
  let sequenceParameters: Uint8Array | undefined
  let pictureParameters: Uint8Array | undefined
  const pictures: Picture[] = []
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] ?? 0) & 31
    if (type === unitType.sequenceParameters) sequenceParameters ??= unit
    else if (type === unitType.pictureParameters) pictureParameters ??= unit
    else if (type === unitType.slice || type === unitType.keySlice) {
      // The slice header begins with the number of its first macroblock; zero is the single bit 1.
      const beginsPicture = ((unit[1] ?? 0) & 0x80) !== 0
      if (beginsPicture) pictures.push({ units: [], key: type === unitType.keySlice })
      pictures.at(-1)?.units.push(unit)
    }
  }
  if (!sequenceParameters || !pictureParameters || pictures.length === 0) {
    throw new Error(
      `The encoder wrote ${stream.length} bytes without a whole H.264 stream in them (${pictures.length} pictures).`,
    )
  }
  return { sequenceParameters, pictureParameters, pictures }
}

function* unitsOf(stream: Uint8Array): Generator<Uint8Array> {
  const buffer = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength)
  let start = nextStart(buffer, 0)
  while (start !== -1) {
    const next = nextStart(buffer, start)
    let end = next === -1 ? buffer.length : next - startCode.length
    // A start code may be four bytes long; its first zero, and padding, are no part of the unit before it.
    while (end > start && buffer[end - 1] === 0) end -= 1
    yield buffer.subarray(start, end)
    start = next
  }
}

const startCode = Uint8Array.of(0, 0, 1)

function nextStart(buffer: Buffer, from: number): number {
  const found = buffer.indexOf(startCode, from)
  return found === -1 ? -1 : found + startCode.length
}
