import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { nodeMedia } from '../../src/media/node.ts'
import { pictureFormat } from '../../src/media/raster/raster.ts'
import { hasTooManyParts } from '../../src/media/received/parts.ts'
import { receive } from './receive.ts'

it('takes large pictures of every format, animated ones, and a JPEG in many scans', async () => {
  const [width, height] = [800, 600]
  const noise = randomBytes(width * height * 3)
  const raw = { raw: { width, height, channels: 3 } } as const
  const frames = Array.from({ length: 40 }, (_, n) => n)
  const animation = await sharp(
    await Promise.all(
      frames.map((n) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background: { r: n % 256, g: 0, b: 0 } } })
          .png()
          .toBuffer(),
      ),
    ),
    { join: { animated: true } },
  )
    .gif()
    .toBuffer()
  const files = [
    ...(await Promise.all(
      (['png', 'jpeg', 'gif', 'webp', 'tiff'] as const).map((format) =>
        sharp(noise, raw).toFormat(format, { quality: 100 }).toBuffer(),
      ),
    )),
    await sharp(noise, raw).jpeg({ progressive: true, quality: 100 }).toBuffer(),
    animation,
    await sharp(animation, { animated: true }).webp().toBuffer(),
  ]
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
  for (const file of files) {
    expect(hasTooManyParts(file, pictureFormat(file)!)).toBe(false)
    expect(await receive(media, file)).toBe('taken')
  }
  await media.close()
})
