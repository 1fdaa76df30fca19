import { ImageRefused, RenderFailed } from '../source.ts'
import type { Pixels } from './pixels.ts'
import {
  checkPixels,
  maxSide,
  type PhotoLook,
  type Raster,
  refuseAsDamaged,
  type Size,
  softBytes,
} from './raster.ts'
import { joinBytes, u32 } from '../h264/boxes.ts'
import { pngChunk, pngSignature } from '../provenance/comments.ts'

/** Renders pixels with the browser's own canvas and decoders. Colours may slightly differ from those of sharp. */
export const canvasRaster: Raster = {
  async draw(svg, channels) {
    const image = await svgImage(svg)
    const size = { width: image.naturalWidth, height: image.naturalHeight }
    const canvas = drawOnCanvas(size, (context) => context.drawImage(image, 0, 0, size.width, size.height))
    return pixelsOf(canvas, channels)
  },
  async drawPhoto(photo, frame, look = {}) {
    const image =
      typeof photo === 'string'
        ? await svgImage(photo)
        : 'data' in photo
          ? canvasOf(photo)
          : await bitmapOf(photo)
    const canvas = drawOnCanvas(frame, (context) => {
      if (look.flipped) context.setTransform(-1, 0, 0, 1, frame.width, 0)
      context.filter = filterOf(look)
      const { left, top, width, height } = coverFrame(image, frame)
      context.drawImage(image, left, top, width, height)
    })
    return pixelsOf(canvas, 3)
  },
  async stretch(file, size) {
    const image = await bitmapOf(file)
    const canvas = drawOnCanvas(size, (context) => context.drawImage(image, 0, 0, size.width, size.height))
    return pixelsOf(canvas, 3)
  },
  async toGrey(mask, size) {
    const { data } = await canvasRaster.stretch(mask, size)
    return Uint8Array.from({ length: size.width * size.height }, (_, index) => {
      const [red, green, blue] = data.subarray(3 * index, 3 * index + 3)
      return Math.round(0.2126 * red! + 0.7152 * green! + 0.0722 * blue!)
    })
  },
  async enlarge(pixels, steps, size) {
    const small = canvasOf(pixels)
    const soft = drawOnCanvas(steps, (context) => context.drawImage(small, 0, 0, steps.width, steps.height))
    const canvas = drawOnCanvas(size, (context) => {
      context.imageSmoothingEnabled = false
      context.drawImage(soft, 0, 0, size.width, size.height)
    })
    return pixelsOf(canvas, 3)
  },
  async toPng(pixels) {
    if (typeof CompressionStream === 'function') return compressedPng(pixels)
    return fileOf(canvasOf(pixels), 'image/png')
  },
  async toJpeg(pixels, quality) {
    return fileOf(canvasOf(pixels), 'image/jpeg', quality / 100)
  },
  async toWebp(pixels, quality) {
    return fileOf(canvasOf(pixels), 'image/webp', quality / 100)
  },
  async decode(bytes, maxPixels) {
    const size = await checkedPictureSize(bytes, maxPixels)
    return { file: await fileOf(await decodeShrunk(bytes, '#ffffff'), 'image/jpeg'), ...size }
  },
  async decodeMask(bytes, maxPixels, covered) {
    await checkedPictureSize(bytes, maxPixels)
    if (covered === 'light') return fileOf(await decodeShrunk(bytes, '#000000'), 'image/png')
    const canvas = await decodeShrunk(bytes)
    return fileOf(canvasOf(invertedAlpha(pixelsOf(canvas, 4))), 'image/png')
  },
  async sizeOf(file) {
    const { width, height } = await bitmapOf(file)
    return { width, height }
  },
}

/** Decodes a picture, shrinks it to the stored size and draws it on a plain ground, if any. A bitmap is already upright. */
async function decodeShrunk(bytes: Uint8Array, ground?: string): Promise<OffscreenCanvas> {
  const bitmap = await bitmapOf(bytes).catch(refuseAsDamaged)
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height))
  const size = {
    width: Math.max(1, Math.round(bitmap.width * scale)),
    height: Math.max(1, Math.round(bitmap.height * scale)),
  }
  return drawOnCanvas(size, (context) => {
    if (ground !== undefined) {
      context.fillStyle = ground
      context.fillRect(0, 0, size.width, size.height)
    }
    context.drawImage(bitmap, 0, 0, size.width, size.height)
  })
}

/** Grey pixels that are as light as these are transparent. */
function invertedAlpha({ data, width, height }: Pixels): Pixels {
  const grey = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1)
    grey.fill(255 - data[pixel * 4 + 3]!, pixel * 3, pixel * 3 + 3)
  return { data: grey, width, height, channels: 3 }
}

/** The position of a picture that fills a frame. */
function coverFrame(image: Size, frame: Size): Size & { left: number; top: number } {
  const scale = Math.max(frame.width / image.width, frame.height / image.height)
  const [width, height] = [image.width * scale, image.height * scale]
  return { left: (frame.width - width) / 2, top: (frame.height - height) / 2, width, height }
}

function filterOf({ light = 1, saturation = 1, hue = 0 }: PhotoLook): string {
  if (light === 1 && saturation === 1 && hue === 0) return 'none'
  return `brightness(${light}) saturate(${saturation}) hue-rotate(${hue}deg)`
}

function canvasOf(pixels: Pixels): OffscreenCanvas {
  return drawOnCanvas(pixels, (context) => context.putImageData(imageData(pixels), 0, 0))
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

/**
 * Draws on a new canvas.
 * @throws {RenderFailed} if there are no canvases.
 */
function drawOnCanvas(
  { width, height }: Size,
  draw: (context: OffscreenCanvasRenderingContext2D) => void,
): OffscreenCanvas {
  checkPlace()
  const canvas = new OffscreenCanvas(width, height)
  // Pixels are always read back, which is slow on a graphics card.
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context)
    throw new RenderFailed(`Failed to draw: the browser has no room for ${width}x${height} pixels.`)
  context.imageSmoothingQuality = 'high'
  draw(context)
  return canvas
}

/** The pixels of a canvas. A browser only supports four channels. */
function pixelsOf(canvas: OffscreenCanvas, channels: 3 | 4): Pixels {
  const { width, height } = canvas
  const rgba = canvas.getContext('2d')!.getImageData(0, 0, width, height).data
  if (channels === 4) return { data: new Uint8Array(rgba.buffer), width, height, channels }
  const data = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    data[to] = rgba[from]!
    data[to + 1] = rgba[from + 1]!
    data[to + 2] = rgba[from + 2]!
  }
  return { data, width, height, channels }
}

/** @throws {RenderFailed} if the browser can't write such files: then it writes a PNG. */
async function fileOf(
  canvas: OffscreenCanvas,
  type: 'image/png' | 'image/jpeg' | 'image/webp',
  quality = 0.92,
): Promise<Uint8Array> {
  const blob = await canvas.convertToBlob({ type, quality })
  if (blob.type !== type) throw new RenderFailed(`Failed to draw: this browser writes no ${type}.`)
  return new Uint8Array(await blob.arrayBuffer())
}

/** Only an image element of the page reads SVG; bitmaps support only raster files. */
async function svgImage(svg: string): Promise<HTMLImageElement> {
  return loadImage(new Blob([svg], { type: 'image/svg+xml' }), () => {
    throw new RenderFailed(
      "Failed to draw a picture: the page can't show its SVG. If it has a Content-Security-Policy, let img-src have blob:.",
    )
  })
}

async function bitmapOf(bytes: Uint8Array): Promise<ImageBitmap> {
  checkPlace()
  return createImageBitmap(new Blob([bytes as BlobPart]))
}

/**
 * The size in a picture's header. Decodes nothing.
 * @throws {ImageRefused} for a picture that is too large, for other files, and outside of a page.
 */
async function checkedPictureSize(bytes: Uint8Array, maxPixels: number): Promise<Size> {
  if (!isPage()) throw new ImageRefused(`The image can't be looked at: ${noPage}`)
  const image = await loadImage(new Blob([bytes as BlobPart]), () =>
    refuseAsDamaged(new Error('the browser knows no such picture')),
  )
  const size = { width: image.naturalWidth, height: image.naturalHeight }
  checkPixels(size, maxPixels)
  return size
}

async function loadImage(blob: Blob, failed: () => never): Promise<HTMLImageElement> {
  checkPlace()
  const image = new Image()
  const address = URL.createObjectURL(blob)
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve
      image.onerror = reject
      image.src = address
    }).catch(failed)
    return image
  } finally {
    URL.revokeObjectURL(address)
  }
}

function checkPlace(): void {
  if (!isPage()) throw new RenderFailed(`Failed to draw a picture: ${noPage}`)
}

function isPage(): boolean {
  return typeof OffscreenCanvas === 'function' && typeof Image === 'function'
}

const noPage =
  'there is no page with a canvas here. Use greenroom in the page itself, not in a worker. ' +
  "Where a test's page is only imitated, as by jsdom, import the build for Node: in Jest by " +
  "testEnvironmentOptions: { customExportConditions: ['node'] }."

/** Encodes a PNG. A browser's own always have four channels, and are up to twice as large. */
async function compressedPng(pixels: Pixels): Promise<Uint8Array> {
  const plain = await deflate(plainRows(pixels))
  // Soft slopes, such as in blends, are smaller as differences.
  const filtered = plain.length > softBytes ? await deflate(filteredRows(pixels)) : plain
  const [bitDepth, colourType] = [8, pixels.channels === 4 ? 6 : 2]
  const header = joinBytes([u32(pixels.width, pixels.height), Uint8Array.of(bitDepth, colourType, 0, 0, 0)])
  const data = filtered.length < plain.length ? filtered : plain
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', data), pngChunk('IEND', new Uint8Array())]
  return joinBytes([pngSignature, ...chunks])
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Each row, preceded by a byte for its filter: none. */
function plainRows({ data, width, height, channels }: Pixels): Uint8Array<ArrayBuffer> {
  const rowBytes = width * channels
  const rows = new Uint8Array((rowBytes + 1) * height)
  for (let y = 0; y < height; y += 1)
    rows.set(data.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1)
  return rows
}

/** Each row as differences to the left, above or predicted value (PNG §9.2): whichever has the smallest sum. */
function filteredRows({ data, width, height, channels }: Pixels): Uint8Array<ArrayBuffer> {
  const rowBytes = width * channels
  const rows = new Uint8Array((rowBytes + 1) * height)
  const candidates = [1, 2, 4].map((filter) => ({ filter, row: new Uint8Array(rowBytes) }))
  for (let y = 0; y < height; y += 1) {
    const sums = candidates.map(({ filter, row }) => {
      let sum = 0
      for (let x = 0, at = y * rowBytes; x < rowBytes; x += 1, at += 1) {
        const left = x < channels ? 0 : data[at - channels]!
        const above = y === 0 ? 0 : data[at - rowBytes]!
        const corner = x < channels || y === 0 ? 0 : data[at - rowBytes - channels]!
        const expected = filter === 1 ? left : filter === 2 ? above : predictPaeth(left, above, corner)
        const difference = (data[at]! - expected) & 0xff
        row[x] = difference
        sum += difference < 128 ? difference : 256 - difference
      }
      return sum
    })
    const { filter, row } = candidates[sums.indexOf(Math.min(...sums))]!
    rows[y * (rowBytes + 1)] = filter
    rows.set(row, y * (rowBytes + 1) + 1)
  }
  return rows
}

/** The neighbour that is nearest to left + above - corner. */
function predictPaeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [toLeft, toAbove, toCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - above),
    Math.abs(guess - corner),
  ]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
