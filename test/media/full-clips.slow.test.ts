import { expect, it } from 'vitest'
import { nodeMedia } from '../../src/media/node.ts'
import { specOf } from './clips.ts'
import { expectOneRender, expectPictureIn, expectPlaceholderIn } from './sent-pictures.ts'

it('shows the picture in a full clip', () => expectPictureIn('full'))

it('draws a placeholder in a full clip for an image URL, which is not fetched', () =>
  expectPlaceholderIn('full'))

it('renders a full clip with a stand-in once', () => expectOneRender())

it('renders a clip once that is requested twice and prefetched', async () => {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
  try {
    const spec = specOf({ width: 64, height: 48, seconds: 1 })

    const prefetched = media.prefetch(spec)
    const [a, b] = await Promise.all([media.clip(spec), media.clip({ ...spec })])

    expect(a).toBe(b)
    expect(await prefetched).toBe('ready')
    expect(await media.prefetch({ ...spec, quality: 'fast' })).toBe('skipped')
  } finally {
    await media.close()
  }
})
