import { expect, it } from 'vitest'
import type { Sound } from '../../src/media/spec.ts'
import { boxesOf, decode, specOf } from './clips.ts'
import { openMedia } from './open.ts'

const fast = specOf({ quality: 'fast', seconds: 3 })

/** Loudness from 0 to 1 of a part of a sound. */
function level(sound: Int16Array): number {
  return Math.sqrt(sound.reduce((sum, value) => sum + value * value, 0) / sound.length) / 32_768
}

it('has no audio track unless it is configured', async () => {
  await using media = openMedia()
  expect(boxesOf((await media.clip(fast)).bytes).audio).toEqual([])
})

it.each<[Sound, number, number]>([
  ['silence', 0, 0],
  ['tone', 0.08, 0.1],
  ['ambience', 0.005, 0.05],
])('has a track of %s that is as long as the video', async (audio, min, max) => {
  await using media = openMedia()
  const { bytes } = await media.clip({ ...fast, audio })
  const { audio: tracks, trackSeconds, isProgressive } = boxesOf(bytes)
  expect([trackSeconds, isProgressive]).toEqual([3, true])
  // The priming of 1024 samples is in the track, and left out by its edit list.
  expect(tracks).toEqual([
    { codec: 'mp4a.40.2', rate: 48_000, channels: 2, seconds: 3 + 1024 / 48_000, movieSeconds: 3 },
  ])
  const { sound, frames } = await decode(bytes, fast)
  expect(frames).toHaveLength(36)
  expect(sound.length / 48_000).toBeCloseTo(3, 1)
  for (const second of [0, 1, 2]) {
    const loudness = level(sound.subarray(second * 48_000, (second + 1) * 48_000))
    expect(loudness).toBeGreaterThanOrEqual(min)
    expect(loudness).toBeLessThanOrEqual(max)
  }
})
