import { expect, it } from 'vitest'
import { specOf } from './clips.ts'
import { folder } from './folders.ts'
import { fingerprint, pngHeader } from './open.ts'
import { expectPictureIn, expectPlaceholderIn, halves, open } from './sent-pictures.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

const refusal = (message: RegExp) =>
  expect.objectContaining({ name: 'ImageRefused', message: expect.stringMatching(message) })

it('takes PNG, JPEG, WebP, GIF, AVIF and TIFF, and tells their size', async () => {
  await using media = open()
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const) {
    const bytes = await halves(120, 80).toFormat(format).toBuffer()

    expect(await media.receiveImage(bytes), format).toEqual({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      width: 120,
      height: 80,
      colours: [expect.stringMatching(/^#[0-9a-f]{6}$/), expect.stringMatching(/^#[0-9a-f]{6}$/)],
    })
  }
})

it('turns a photograph the way its camera was held', async () => {
  await using media = open()
  const bytes = await halves(120, 80).withMetadata({ orientation: 6 }).jpeg().toBuffer()

  expect(await media.receiveImage(bytes)).toMatchObject({ width: 80, height: 120 })
})

it('shows the picture in a fast clip', () => expectPictureIn('fast'))

it('draws a placeholder in a fast clip for an image URL, which is not fetched', () =>
  expectPlaceholderIn('fast'))

it('tells the fast clips of two tasks apart that were sent the same picture', async () => {
  await using media = open()
  const { digest } = await media.receiveImage(await halves(64, 64).png().toBuffer())
  const spec = specOf({ quality: 'fast', image: { digest } })

  const [a, b] = await Promise.all([media.clip(spec), media.clip({ ...spec, taskId: 'task_2' })])

  expect(await fingerprint(a)).not.toBe(await fingerprint(b))
})

it('shows a stand-in for a picture that is gone, and the picture once it has come again', async () => {
  await using media = open()
  const bytes = await halves(64, 64).png().toBuffer()
  await using elsewhere = open()
  const image = await elsewhere.receiveImage(bytes)
  const spec = specOf({ quality: 'fast', image: { digest: image.digest } })

  const standIn = await media.clip(spec)
  await media.receiveImage(bytes)
  const picture = await media.clip(spec)

  expect(picture.etag).not.toBe(standIn.etag)
  expect(picture.etag).toBe((await elsewhere.clip(spec)).etag)
})

it('finds a picture again in the cache folder after a restart', async () => {
  await using files = await folder()
  await using first = open({ cacheDir: files.path })
  const { digest } = await first.receiveImage(await halves(64, 64).png().toBuffer())
  const spec = specOf({ quality: 'fast', image: { digest } })
  const before = await first.clip(spec)

  await using second = open({ cacheDir: files.path })

  expect((await second.clip(spec)).etag).toBe(before.etag)
})

it('refuses what is not a picture', async () => {
  await using media = open()
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'
  for (const text of ['', 'hello', svg, `<?xml version="1.0"?>${svg}`, '%PDF-1.7\n', 'GIF89']) {
    await expect(media.receiveImage(Buffer.from(text)), text).rejects.toThrow(
      refusal(/not a picture: send PNG/),
    )
  }
})

it('refuses a picture that was cut off', async () => {
  await using media = open()
  const whole = await halves(300, 300).png().toBuffer()

  await expect(media.receiveImage(whole.subarray(0, 200))).rejects.toThrow(refusal(/damaged or cut off/))
  // The decoder's words may end in a colon with nothing behind it.
  await expect(media.receiveImage(whole.subarray(0, 20))).rejects.toThrow(
    refusal(/damaged or cut off.*[a-z]\.$/),
  )
})

it('refuses a picture of too many bytes, with the numbers', async () => {
  await using media = open({ imageBytes: 1_500_000 })

  await expect(media.receiveImage(new Uint8Array(2_000_000))).rejects.toThrow(
    refusal(/1\.91 MB.*at most 1\.44 MB/),
  )
})

it('refuses a picture of too many pixels by its header, without decoding it', async () => {
  await using media = open()
  const elapsedMs = startProcessorTimer()

  await expect(media.receiveImage(pngHeader(10_000, 10_000))).rejects.toThrow(
    refusal(/10000x10000 are 100\.0 megapixels.*at most 40\.0/),
  )

  expect(elapsedMs()).toBeLessThan(1000)
})
