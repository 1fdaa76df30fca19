import type { Sharp } from 'sharp'
import { loadSharp } from './load-sharp.ts'
import type { Pixels } from './pixels.ts'
import {
  checkPixels,
  decodeSeconds,
  maxSide,
  type PhotoLook,
  type Raster,
  refuseAsDamaged,
  softBytes,
  type Size,
} from './raster.ts'

/** Renders pixels with sharp, which is loaded on first use. */
export const sharpRaster: Raster = {
  async draw(svg, channels) {
    const sharp = await loadSharp()
    const image = sharp(Buffer.from(svg), { unlimited: true }).toColourspace('srgb')
    return rawPixels(channels === 3 ? image.removeAlpha() : image.ensureAlpha(), channels)
  },
  async drawPhoto(photo, { width, height }, look = {}) {
    const sharp = await loadSharp()
    const source =
      typeof photo === 'string'
        ? sharp(Buffer.from(photo))
        : 'data' in photo
          ? sharp(photo.data, { raw: rawOf(photo) })
          : sharp(photo)
    const image = source.resize(width, height, { fit: 'cover' }).removeAlpha().toColourspace('srgb')
    return rawPixels(inLight(look.flipped ? image.flop() : image, look), 3)
  },
  async stretch(file, { width, height }) {
    const sharp = await loadSharp()
    const image = sharp(file).resize(width, height, { fit: 'fill' }).removeAlpha().toColourspace('srgb')
    return rawPixels(image, 3)
  },
  async toGrey(mask, { width, height }) {
    const sharp = await loadSharp()
    return sharp(mask)
      .resize(width, height, { fit: 'fill', kernel: 'linear' })
      .greyscale()
      .extractChannel(0)
      .raw()
      .toBuffer()
  },
  async enlarge(pixels, steps, size) {
    const sharp = await loadSharp()
    const soft = await sharp(pixels.data, { raw: rawOf(pixels) })
      .resize(steps.width, steps.height, { fit: 'fill', kernel: 'cubic' })
      .raw()
      .toBuffer()
    const data = await sharp(soft, { raw: { ...steps, channels: 3 } })
      .resize(size.width, size.height, { fit: 'fill', kernel: 'nearest' })
      .raw()
      .toBuffer()
    return { data, ...size, channels: 3 }
  },
  async toPng(pixels) {
    const sharp = await loadSharp()
    const encode = (compressionLevel: number, adaptiveFiltering: boolean): Promise<Buffer> =>
      sharp(pixels.data, { raw: rawOf(pixels) })
        .png({ compressionLevel, adaptiveFiltering })
        .toBuffer()
    const plain = await encode(7, false)
    if (plain.length < softBytes) return plain
    // Filters make soft gradients, such as in blends, a quarter smaller, but take three times as long.
    const filtered = await encode(6, true)
    return filtered.length < plain.length ? filtered : plain
  },
  async toJpeg(pixels, quality) {
    const sharp = await loadSharp()
    return sharp(pixels.data, { raw: rawOf(pixels) })
      .removeAlpha()
      .jpeg({ quality })
      .toBuffer()
  },
  async toWebp(pixels, quality) {
    const sharp = await loadSharp()
    return sharp(pixels.data, { raw: rawOf(pixels) })
      .webp({ quality })
      .toBuffer()
  },
  measure: checkedSize,
  async decode(bytes, maxPixels) {
    const size = await checkedSize(bytes, maxPixels)
    const file = await (
      await openReader(bytes, maxPixels)
    )
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer()
      .catch(refuseAsDamaged)
    return { file, ...size }
  },
  async decodeMask(bytes, maxPixels, covered) {
    await checkedSize(bytes, maxPixels)
    const image = await openReader(bytes, maxPixels)
    const grey =
      covered === 'transparent'
        ? image.ensureAlpha().extractChannel('alpha').negate()
        : image.flatten({ background: '#000000' }).greyscale()
    return grey.png({ compressionLevel: 4 }).toBuffer().catch(refuseAsDamaged)
  },
  async sizeOf(file) {
    const sharp = await loadSharp()
    const { width, height } = await sharp(file).metadata()
    return { width, height }
  },
}

function inLight(image: Sharp, { light = 1, saturation = 1, hue = 0 }: PhotoLook): Sharp {
  if (light === 1 && saturation === 1 && hue === 0) return image
  return image.modulate({ brightness: light, saturation, hue: ((hue % 360) + 360) % 360 })
}

async function rawPixels(image: Sharp, channels: 3 | 4): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels }
}

function rawOf({ width, height, channels }: Pixels): Size & { channels: 3 | 4 } {
  return { width, height, channels }
}

/** Reads the size from the header, before anything is decoded into memory. */
async function checkedSize(bytes: Uint8Array, maxPixels: number): Promise<Size> {
  const sharp = await loadSharp()
  const header = sharp(bytes, { limitInputPixels: false })
  const { autoOrient, width, height } = await header.metadata().catch(refuseAsDamaged)
  checkPixels({ width, height }, maxPixels)
  return { width: autoOrient.width, height: autoOrient.height }
}

/** Reads a picture upright, shrunk to the stored size. */
async function openReader(bytes: Uint8Array, maxPixels: number): Promise<Sharp> {
  const sharp = await loadSharp()
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
    .timeout({ seconds: decodeSeconds })
    .autoOrient()
    .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
}
