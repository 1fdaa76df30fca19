import jsqr from 'jsqr'
import { expect, it } from 'vitest'
import type { ClipSpec } from '../../src/media/spec.ts'
import { boxesOf, decode } from './clips.ts'
import { openMedia } from './open.ts'

const card: ClipSpec = {
  kind: 'clip',
  prompt: 'anything',
  model: 'video-1',
  seed: '1',
  taskId: 'task_0123456789abcdefghijklmnopqrstuv',
  width: 640,
  height: 360,
  seconds: 2,
  framesPerSecond: 10,
  quality: 'card',
  caption: true,
}

/** What a phone would read: the text of the QR code in a frame of rgb24. */
function codeIn(rgb: Uint8Array, { width, height }: ClipSpec): string | undefined {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let pixel = 0; pixel < width * height; pixel += 1)
    rgba.set(rgb.subarray(pixel * 3, pixel * 3 + 3), pixel * 4)
  return jsqr(rgba, width, height)?.data
}

it('has the task and the number of each frame in a QR code', async () => {
  await using media = openMedia()
  const { bytes } = await media.clip(card)
  const { frames } = await decode(bytes, card)
  expect(frames).toHaveLength(20)
  for (const [index, frame] of frames.entries()) expect(codeIn(frame, card)).toBe(`${card.taskId} ${index}`)
})

it('shows colour bars, and flashes at the start of each second', async () => {
  await using media = openMedia()
  const { frames } = await decode((await media.clip(card)).bytes, card)
  const colourAt = (frame: Uint8Array, x: number, y: number): number[] => {
    const at = (y * card.width + x) * 3
    return [...frame.subarray(at, at + 3)]
  }
  const bars = [0, 1, 2, 3, 4, 5, 6].map((bar) => colourAt(frames[7]!, 45 + bar * 91, 30))
  const expected = ['bf bf bf', 'bf bf 00', '00 bf bf', '00 bf 00', 'bf 00 bf', 'bf 00 00', '00 00 bf']
  expected.forEach((colour, bar) =>
    colour.split(' ').forEach((part, channel) => {
      expect(Math.abs(bars[bar]![channel]! - parseInt(part, 16))).toBeLessThan(12)
    }),
  )
  const lamps = frames.map((frame) => colourAt(frame, 500, 120)[0]! > 128)
  expect(lamps.flatMap((isOn, index) => (isOn ? [index] : []))).toEqual([0, 10])
})

it('gives the same bytes each time, others to another task, and needs no encoder', async () => {
  await using media = openMedia()
  const one = await media.clip(card)
  expect(media.encoder().verified).toBe(false)
  await using other = openMedia()
  expect(await other.clip(card)).toEqual(one)
  expect((await other.clip({ ...card, taskId: 'task_other' })).etag).not.toBe(one.etag)
})

it.each([
  [64, 64],
  [128, 96],
  [16, 400],
  [1920, 1080],
])('makes a card of %d by %d', async (width, height) => {
  await using media = openMedia()
  const spec = { ...card, width, height, seconds: 1, framesPerSecond: 3 }
  const { bytes } = await media.clip(spec)
  expect(boxesOf(bytes).frames).toBe(3)
  expect((await decode(bytes, spec)).frames).toHaveLength(3)
})
