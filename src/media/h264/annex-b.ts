/** A parsed H.264 stream: its parameter sets, and a list of units for each picture. */
export interface Pictures {
  sequenceParameters: Uint8Array
  pictureParameters: Uint8Array
  pictures: CodedPicture[]
}

interface CodedPicture {
  units: Uint8Array[]
  /** Whether a player can start at this picture. */
  key: boolean
}

const unitType = { slice: 1, keySlice: 5, sequenceParameters: 7, pictureParameters: 8 } as const

/**
 * Parses an Annex B byte stream (units between start codes) into pictures. Each picture must be one slice or several in
 * order, and the parameter sets must not change. Our encoders ensure both.
 * @throws {Error} if a parameter set is missing, or there is no picture.
 */
export function splitPictures(stream: Uint8Array): Pictures {
  let sequenceParameters: Uint8Array | undefined
  let pictureParameters: Uint8Array | undefined
  const pictures: CodedPicture[] = []
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
    // A start code may have four bytes. Its first zero, and padding, don't belong to the previous unit.
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
