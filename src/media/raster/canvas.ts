import { checkPixels, refuseAsDamaged } from '../received/picture-refusals.ts'
import type { Pixels } from './pixels.ts'
import type { Size } from './raster.ts'
import { ImageRefused, RenderFailed } from '../source.ts'

/**
 * A new canvas that something is drawn on.
 * @throws {RenderFailed} where there are no canvases.
 */
export function drawing(
  { width, height }: Size,
  draw: (context: OffscreenCanvasRenderingContext2D) => void,
): OffscreenCanvas {
  checkPlace()
  const canvas = new OffscreenCanvas(width, height)
  // Pixels are always read back, which a graphics card is slow at.
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context)
    throw new RenderFailed(`Failed to draw: the browser has no room for ${width}x${height} pixels.`)
  context.imageSmoothingQuality = 'high'
  draw(context)
  return canvas
}

/** The pixels of a canvas, of which a browser only knows four channels. */
export function pixelsOf(canvas: OffscreenCanvas, channels: 3 | 4): Pixels {
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

export async function fileOf(canvas: OffscreenCanvas, type: 'image/png' | 'image/jpeg'): Promise<Uint8Array> {
  const blob = await canvas.convertToBlob({ type, quality: 0.92 })
  return new Uint8Array(await blob.arrayBuffer())
}

/** Only an element of the page reads SVG; bitmaps are made of files alone. */
export async function svgImage(svg: string): Promise<HTMLImageElement> {
  return loaded(new Blob([svg], { type: 'image/svg+xml' }), () => {
    throw new RenderFailed(
      "Failed to draw a picture: the page can't show its SVG. If it has a Content-Security-Policy, let img-src have blob:.",
    )
  })
}

export async function bitmapOf(bytes: Uint8Array): Promise<ImageBitmap> {
  checkPlace()
  return createImageBitmap(new Blob([bytes as BlobPart]))
}

/**
 * The size that a picture's header says; nothing is decoded for it.
 * @throws {ImageRefused} for one that is too large, or no picture; and where there is no page.
 */
export async function checkedPictureSize(bytes: Uint8Array, maxPixels: number): Promise<Size> {
  if (!isPage()) throw new ImageRefused(`The image can't be looked at: ${noPage}`)
  const image = await loaded(new Blob([bytes as BlobPart]), () =>
    refuseAsDamaged(new Error('the browser knows no such picture')),
  )
  const size = { width: image.naturalWidth, height: image.naturalHeight }
  checkPixels(size, maxPixels)
  return size
}

async function loaded(blob: Blob, failed: () => never): Promise<HTMLImageElement> {
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
