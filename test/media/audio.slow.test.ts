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

it('beeps on a test card when it flashes, and at no other time', async () => {
  await using media = openMedia()
  const card = { ...fast, quality: 'card' as const, seconds: 3 }
  const { sound } = await decode((await media.clip(card)).bytes, card)
  const starts: number[] = []
  let lastLoud = -Infinity
  sound.forEach((value, index) => {
    if (Math.abs(value) < 600) return
    if (index - lastLoud > 2000) starts.push(index)
    lastLoud = index
  })
  expect(starts.map((start) => Math.round((start * 1000) / 48_000))).toEqual([0, 1000, 2000])
  expect(lastLoud).toBeLessThan(2.11 * 48_000)
})

it('has the same sound in a full clip', async () => {
  await using media = openMedia()
  const small = specOf({ width: 64, height: 64, seconds: 1, framesPerSecond: 2, audio: 'tone' })
  const { bytes } = await media.clip(small)
  expect(boxesOf(bytes)).toMatchObject({ frames: 2, seconds: 1, audio: [{ codec: 'mp4a.40.2' }] })
  expect(level((await decode(bytes, small)).sound)).toBeGreaterThan(0.08)
})
