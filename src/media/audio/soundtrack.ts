import { audioFormat } from '../h264/mp4.ts'
import type { Sound } from '../spec.ts'
import loops from './aac-frames.json' with { type: 'json' }

/**
 * The AAC frames of a repeating sound of some seconds, with its priming. `scripts/bake-audio.js` encoded the frames once.
 * So no audio encoder is needed, and the bytes are the same everywhere.
 */
export function soundtrack(sound: Sound, seconds: number): Uint8Array[] {
  const { frames, order } = loops[sound]
  const decoded = frames.map(toBytes)
  const { samplesPerSecond, samplesPerFrame, primingSamples } = audioFormat
  const count = Math.ceil((seconds * samplesPerSecond + primingSamples) / samplesPerFrame)
  return Array.from({ length: count }, (_, index) => decoded[order[index % order.length]!]!)
}

function toBytes(frame: string): Uint8Array {
  return Uint8Array.from(atob(frame), (character) => character.charCodeAt(0))
}
