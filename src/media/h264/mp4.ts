import type { Pictures } from './annex-b.ts'
import { box, bytes, fullBox, joinBytes, latin1, u16, u32, zeros } from './boxes.ts'

/** AAC-LC in stereo: the format of the frames in `audio/aac-frames.json`. */
export const audioFormat = {
  samplesPerSecond: 48_000,
  samplesPerFrame: 1024,
  channels: 2,
  /** AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1): AAC-LC, 48 kHz, two channels. */
  config: Uint8Array.of(0x11, 0x90),
  /** How many samples a decoder outputs before the first one. Players skip them by the edit list. */
  primingSamples: 1024,
} as const

/** The parts of a clip. */
interface Clip {
  /** In pixels. */
  width: number
  height: number
  /** A whole number. */
  framesPerSecond: number
  /** The pictures, in order of display. */
  stream: Pictures
  /** The AAC frames, including the priming. */
  sound?: readonly Uint8Array[] | undefined
}

/**
 * Combines H.264 pictures, and AAC frames if there is sound, into an MP4 file that plays while it downloads: `ftyp`,
 * `moov`, `mdat`, a constant frame rate, no creation times. It is written here instead of by an encoder's muxer. So a clip
 * needs no temporary file and no second run of the encoder, and is the same everywhere.
 */
export function mp4(clip: Clip): Uint8Array {
  const tracks = clip.sound ? [videoTrack(clip), audioTrack(clip, clip.sound)] : [videoTrack(clip)]
  const chunks = interleaveTracks(tracks)
  const dataSize = chunks.reduce((total, { size }) => total + size, 0)

  const fileType = box('ftyp', latin1('isom'), u32(0x200), latin1('isomiso2avc1mp41'))
  // The index contains the offsets of chunks, which depend on its own length. So measure it first.
  const durationMs = Math.round((clip.stream.pictures.length * 1000) / clip.framesPerSecond)
  const indexSize = movie(tracks, chunks, 0, durationMs).length
  const index = movie(tracks, chunks, fileType.length + indexSize + 8, durationMs)

  const data = chunks.flatMap(({ samples }) => samples.flatMap(({ parts }) => parts))
  return joinBytes([fileType, index, u32(8 + dataSize), latin1('mdat'), ...data])
}

interface Sample {
  readonly parts: readonly Uint8Array[]
  readonly size: number
}

/** Consecutive samples of a track in the file. */
interface Chunk {
  readonly track: Track
  readonly samples: readonly Sample[]
  readonly size: number
}

interface Track {
  readonly samples: readonly Sample[]
  /** The ticks of the track's clock in a second, and in a sample. */
  readonly timescale: number
  readonly ticksPerSample: number
  readonly header: (number: number, durationMs: number) => Uint8Array
  /** Further boxes about the samples. */
  readonly details: readonly Uint8Array[]
  /** How many ticks at the start are not played. */
  readonly skippedTicks: number
  /** The ticks of the whole track. The last sample may be longer, and is cut. */
  readonly ticks: number
  readonly handler: 'vide' | 'soun'
  readonly mediaHeader: Uint8Array
  readonly sampleEntry: Uint8Array
}

/** The ticks of the video's clock in one frame: so many that players see no rounding. */
const ticksPerFrame = 512

function videoTrack(clip: Clip): Track {
  const { width, height, framesPerSecond, stream } = clip
  const { pictures } = stream
  const keys = pictures.flatMap(({ key }, index) => (key ? [index + 1] : []))
  const size = u32(width * 0x10000, height * 0x10000)
  return {
    samples: pictures.map(({ units }) => toSample(units.flatMap((unit) => [u32(unit.length), unit]))),
    timescale: framesPerSecond * ticksPerFrame,
    ticksPerSample: ticksPerFrame,
    ticks: pictures.length * ticksPerFrame,
    skippedTicks: 0,
    header: (number, durationMs) =>
      fullBox('tkhd', trackIsEnabledAndVisible, u32(0, 0, number, 0, durationMs), zeros(16), identity, size),
    details: [fullBox('stss', 0, u32(keys.length, ...keys))],
    handler: 'vide',
    mediaHeader: fullBox('vmhd', 1, zeros(8)),
    sampleEntry: videoEntry(clip),
  }
}

function audioTrack({ stream, framesPerSecond }: Clip, frames: readonly Uint8Array[]): Track {
  const { samplesPerSecond, samplesPerFrame, primingSamples } = audioFormat
  const played = Math.round((stream.pictures.length * samplesPerSecond) / framesPerSecond)
  const volume = u16(0, 1, 0x100, 0)
  return {
    samples: frames.map((frame) => toSample([frame])),
    timescale: samplesPerSecond,
    ticksPerSample: samplesPerFrame,
    ticks: played + primingSamples,
    skippedTicks: primingSamples,
    header: (number, durationMs) =>
      fullBox(
        'tkhd',
        trackIsEnabledAndVisible,
        u32(0, 0, number, 0, durationMs),
        zeros(8),
        volume,
        identity,
        zeros(8),
      ),
    // A decoder that starts in the middle needs the previous frame.
    details: [
      fullBox('sgpd', 0x0100_0000, latin1('roll'), u32(2, 1), u16(0xffff)),
      fullBox('sbgp', 0, latin1('roll'), u32(1, frames.length, 1)),
    ],
    handler: 'soun',
    mediaHeader: fullBox('smhd', 0, zeros(4)),
    sampleEntry: audioEntry(),
  }
}

function toSample(parts: readonly Uint8Array[]): Sample {
  return { parts, size: parts.reduce((total, { length }) => total + length, 0) }
}

/** A single track is one chunk. Two tracks are interleaved by second, so that a player can read without seeking. */
function interleaveTracks(tracks: readonly Track[]): Chunk[] {
  const toChunk = (track: Track, samples: readonly Sample[]): Chunk => ({
    track,
    samples,
    size: samples.reduce((total, { size }) => total + size, 0),
  })
  const [only] = tracks
  if (tracks.length === 1) return [toChunk(only!, only!.samples)]
  const seconds = Math.max(...tracks.map(({ ticks, timescale }) => Math.ceil(ticks / timescale)))
  return Array.from({ length: seconds }, (_, second) =>
    tracks.map((track) => {
      const { samples, timescale, ticksPerSample } = track
      const first = Math.ceil((second * timescale) / ticksPerSample)
      const end = Math.ceil(((second + 1) * timescale) / ticksPerSample)
      return toChunk(track, samples.slice(first, end))
    }),
  )
    .flat()
    .filter(({ samples }) => samples.length > 0)
}

function movie(
  tracks: readonly Track[],
  chunks: readonly Chunk[],
  dataOffset: number,
  durationMs: number,
): Uint8Array {
  const header = u32(0, 0, millisecondsPerSecond, durationMs, 0x10000)
  const next = u32(tracks.length + 1)
  return box(
    'moov',
    fullBox('mvhd', 0, header, u16(0x100), zeros(10), identity, zeros(24), next),
    ...tracks.map((track, index) => trackBox(track, chunks, { dataOffset, durationMs, number: index + 1 })),
  )
}

const millisecondsPerSecond = 1000

function trackBox(
  track: Track,
  chunks: readonly Chunk[],
  { dataOffset, durationMs, number }: { dataOffset: number; durationMs: number; number: number },
): Uint8Array {
  const { timescale, ticks, skippedTicks, handler } = track
  const edit = box('edts', fullBox('elst', 0, u32(1, durationMs, skippedTicks, 0x10000)))
  const name = latin1(handler === 'vide' ? 'VideoHandler\0' : 'SoundHandler\0')
  const table = box(
    'stbl',
    fullBox('stsd', 0, u32(1), track.sampleEntry),
    timesOf(track),
    ...track.details,
    ...placesOf(track, chunks, dataOffset),
  )
  const media = box(
    'mdia',
    fullBox('mdhd', 0, u32(0, 0, timescale, ticks), u16(undeterminedLanguage, 0)),
    fullBox('hdlr', 0, u32(0), latin1(handler), zeros(12), name),
    box(
      'minf',
      track.mediaHeader,
      box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', dataIsInThisFile))),
      table,
    ),
  )
  return box('trak', track.header(number, durationMs), ...(skippedTicks > 0 ? [edit] : []), media)
}

/** The durations of samples: all equal, except the last, which may be cut. */
function timesOf({ samples, ticks, ticksPerSample }: Track): Uint8Array {
  const before = samples.length - 1
  const last = ticks - before * ticksPerSample
  return last === ticksPerSample
    ? fullBox('stts', 0, u32(1, samples.length, ticksPerSample))
    : fullBox('stts', 0, u32(2, before, ticksPerSample, 1, last))
}

/** Which samples belong to which chunk, the size of each sample, and the offset of each chunk. */
function placesOf(track: Track, chunks: readonly Chunk[], dataOffset: number): Uint8Array[] {
  const runs: number[] = []
  const offsets: number[] = []
  let offset = dataOffset
  for (const chunk of chunks) {
    if (chunk.track === track) {
      offsets.push(offset)
      const count = chunk.samples.length
      if (runs.at(-2) !== count) runs.push(offsets.length, count, 1)
    }
    offset += chunk.size
  }
  return [
    fullBox('stsc', 0, u32(runs.length / 3, ...runs)),
    fullBox('stsz', 0, u32(0, track.samples.length, ...track.samples.map(({ size }) => size))),
    fullBox('stco', 0, u32(offsets.length, ...offsets)),
  ]
}

function videoEntry(options: Clip): Uint8Array {
  const { sequenceParameters, pictureParameters } = options.stream
  // Bytes 1 to 3 of the sequence parameters are profile, constraints and level.
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
    box('colr', latin1('nclx'), u16(1, 1, 1), bytes(0)),
    box('pasp', u32(1, 1)),
  )
}

function audioEntry(): Uint8Array {
  const { samplesPerSecond, channels, config } = audioFormat
  const descriptor = (tag: number, ...parts: Uint8Array[]): Uint8Array => {
    const content = joinBytes(parts)
    return bytes(tag, content.length, ...content)
  }
  const [isAac, isAudioStream] = [0x40, 0x15]
  const decoder = descriptor(4, bytes(isAac, isAudioStream, 0, 0, 0), u32(0, 0), descriptor(5, config))
  const stream = descriptor(3, u16(0), bytes(0), decoder, descriptor(6, bytes(2)))
  return box(
    'mp4a',
    zeros(6),
    u16(1),
    zeros(8),
    u16(channels, 16, 0, 0),
    u32(samplesPerSecond * 0x10000),
    fullBox('esds', 0, stream),
  )
}

const trackIsEnabledAndVisible = 3
const dataIsInThisFile = 1
/** Three letters, five bits each: `und`. */
const undeterminedLanguage = 0x55c4
const identity = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
