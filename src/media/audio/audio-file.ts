import type { AudioSpec } from '../spec.ts'
import { keyedDraws } from '../../engine/random/draws.ts'

const samplesPerSecond = 8_000
/** A pentatonic scale, in Hertz: every melody of it sounds well. */
const scale = [262, 294, 330, 392, 440, 523, 587, 659]
const notesPerSecond = 4

/** A sound file of the exact length. No encoder is needed, and the bytes are the same everywhere. */
export function audioFile(spec: AudioSpec): Uint8Array {
  return spec.format === 'wav' ? wavFile(spec) : mp3File(spec)
}

/** PCM with 8 bits, mono: 8 KB for a second. Integers alone, since the sine differs between engines in its last bit. */
function wavFile({ seconds, seed }: AudioSpec): Uint8Array {
  const { integer } = keyedDraws(seed)
  const samples = seconds * samplesPerSecond
  const bytes = new Uint8Array(44 + samples)
  const head = new DataView(bytes.buffer)
  const write = (at: number, name: string): void => void bytes.set(new TextEncoder().encode(name), at)
  write(0, 'RIFF')
  head.setUint32(4, 36 + samples, true)
  write(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  head.setUint16(20, 1, true)
  head.setUint16(22, 1, true)
  head.setUint32(24, samplesPerSecond, true)
  head.setUint32(28, samplesPerSecond, true)
  head.setUint16(32, 1, true)
  head.setUint16(34, 8, true)
  write(36, 'data')
  head.setUint32(40, samples, true)
  const perNote = samplesPerSecond / notesPerSecond
  let phase = 0
  for (let note = 0; note * perNote < samples; note++) {
    const frequency = scale[integer(scale.length, 'audio.note', '', note)]!
    for (let at = 0; at < perNote; at++) {
      phase = (phase + frequency) % samplesPerSecond
      // A triangle that fades out.
      const height = Math.abs(2 * phase - samplesPerSecond) - samplesPerSecond / 2
      const loudness = perNote - at
      bytes[44 + note * perNote + at] =
        128 + Math.floor((64 * height * loudness) / (samplesPerSecond * perNote))
    }
  }
  return bytes
}

/** MPEG-1 Layer III, 32 kbit/s, 48 kHz, mono (ISO/IEC 11172-3 §2.4.1): a frame of 96 bytes lasts 24 ms. */
const frameBytes = 96
const frameMs = 24
const frameHeader = [0xff, 0xfb, 0x14, 0xc0]
/** An empty side information: the frame has no main data, and the rest of it is ancillary. */
const sideInfoBytes = 17

function mp3File({ seconds, seed }: AudioSpec): Uint8Array {
  const frames = Math.ceil((seconds * 1_000) / frameMs)
  const bytes = new Uint8Array(frames * frameBytes)
  const draws = keyedDraws(seed)
  for (let frame = 0; frame < frames; frame++) {
    const start = frame * frameBytes
    bytes.set(frameHeader, start)
    // No byte may be part of a sync word.
    const mark = draws.text('0123456789abcdef', 16, 'audio.frame', '', frame)
    bytes.set(new TextEncoder().encode(mark), start + frameHeader.length + sideInfoBytes)
  }
  return bytes
}
