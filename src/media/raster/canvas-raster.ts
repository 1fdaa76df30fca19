import { bitmapOf, checkedPictureSize, drawing, fileOf, pixelsOf, svgImage } from './canvas.ts'
import { maxSide, refuseAsDamaged } from '../received/picture-refusals.ts'
import type { PhotoLook, Raster, Size } from './raster.ts'

/** Pixels made by the browser's own canvas and decoders. Colours may differ from sharp's by a shade. */
export const canvasRaster: Raster = {
  async drawn(svg, channels) {
    const image = await svgImage(svg)
    const size = { width: image.naturalWidth, height: image.naturalHeight }
    const canvas = drawing(size, (context) => context.drawImage(image, 0, 0, size.width, size.height))
    return pixelsOf(canvas, channels)
  },
  async photo(photo, frame, look = {}) {
    const image = typeof photo === 'string' ? await svgImage(photo) : await bitmapOf(photo)
    const canvas = drawing(frame, (context) => {
      if (look.flipped) context.setTransform(-1, 0, 0, 1, frame.width, 0)
      context.filter = filterOf(look)
      const { left, top, width, height } = covering(image, frame, look.part ?? 1)
      context.drawImage(image, left, top, width, height)
    })
    return pixelsOf(canvas, 3)
  },
  async stretched(file, size) {
    const image = await bitmapOf(file)
    const canvas = drawing(size, (context) => context.drawImage(image, 0, 0, size.width, size.height))
    return pixelsOf(canvas, 3)
  },
  async grey(mask, size) {
    const { data } = await canvasRaster.stretched(mask, size)
    return Uint8Array.from({ length: size.width * size.height }, (_, index) => {
      const [red, green, blue] = data.subarray(3 * index, 3 * index + 3)
      return Math.round(0.2126 * red! + 0.7152 * green! + 0.0722 * blue!)
    })
  },
  async enlarged(pixels, steps, size) {
    const small = drawing(pixels, (context) => context.putImageData(imageData(pixels), 0, 0))
    const soft = drawing(steps, (context) => context.drawImage(small, 0, 0, steps.width, steps.height))
    const canvas = drawing(size, (context) => {
      context.imageSmoothingEnabled = false
      context.drawImage(soft, 0, 0, size.width, size.height)
    })
    return pixelsOf(canvas, 3)
  },
  async png(pixels) {
    const canvas = drawing(pixels, (context) => context.putImageData(imageData(pixels), 0, 0))
    return fileOf(canvas, 'image/png')
  },
  async decoded(bytes, maxPixels) {
    const size = await checkedPictureSize(bytes, maxPixels)
    return { file: await fileOf(await shrunk(bytes, '#ffffff'), 'image/jpeg'), ...size }
  },
  async decodedMask(bytes, maxPixels) {
    await checkedPictureSize(bytes, maxPixels)
    return fileOf(await shrunk(bytes, '#000000'), 'image/png')
  },
  async sizeOf(file) {
    const { width, height } = await bitmapOf(file)
    return { width, height }
  },
}

/** No larger than can be seen, on a plain ground. A bitmap is upright already. */
async function shrunk(bytes: Uint8Array, ground: string): Promise<OffscreenCanvas> {
  const bitmap = await bitmapOf(bytes).catch(refuseAsDamaged)
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height))
  const size = {
    width: Math.max(1, Math.round(bitmap.width * scale)),
    height: Math.max(1, Math.round(bitmap.height * scale)),
  }
  return drawing(size, (context) => {
    context.fillStyle = ground
    context.fillRect(0, 0, size.width, size.height)
    context.drawImage(bitmap, 0, 0, size.width, size.height)
  })
}

/** Where a picture lies that fills a frame, of which the middle part is shown. */
function covering(image: Size, frame: Size, part: number): Size & { left: number; top: number } {
  const scale = Math.max(frame.width / image.width, frame.height / image.height) / part
  const [width, height] = [image.width * scale, image.height * scale]
  return { left: (frame.width - width) / 2, top: (frame.height - height) / 2, width, height }
}

function filterOf({ light = 1, saturation = 1, hue = 0 }: PhotoLook): string {
  if (light === 1 && saturation === 1 && hue === 0) return 'none'
  return `brightness(${light}) saturate(${saturation}) hue-rotate(${hue}deg)`
}

function imageData({
  data,
  width,
  height,
  channels,
}: { channels: 3 | 4; data: Uint8Array } & Size): ImageData {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let from = 0, to = 0; to < rgba.length; from += channels, to += 4) {
    rgba[to] = data[from]!
    rgba[to + 1] = data[from + 1]!
    rgba[to + 2] = data[from + 2]!
    rgba[to + 3] = channels === 4 ? data[from + 3]! : 255
  }
  return new ImageData(rgba, width, height)
}
