import type { PhotoView } from '../../pictures/composition/picture.ts'
import { ImageRefused } from '../source.ts'
import type { Pixels } from './pixels.ts'

/** Whole pixels. */
export interface Size {
  width: number
  height: number
}

/** The appearance of a photo: its crop, mirroring and light. */
export type PhotoLook = Pick<PhotoView, 'flipped' | 'light' | 'saturation' | 'hue'>

/**
 * Converts drawings and files to pixels, and pixels to files: sharp in Node, a canvas in browsers. All other code of
 * pictures is the same in both.
 */
export interface Raster {
  /** Draws an SVG in its own size. With four channels, it has alpha. */
  draw(svg: string, channels: 3 | 4): Promise<Pixels>
  /**
   * Crops a photo to fill a frame, in three channels.
   * @param photo a file from {@link Raster.decode}, an SVG, or pixels.
   */
  drawPhoto(photo: Uint8Array | string | Pixels, frame: Size, look?: PhotoLook): Promise<Pixels>
  /** Stretches a file to a size, in three channels. */
  stretch(file: Uint8Array, size: Size): Promise<Pixels>
  /** Stretches a mask to a size. Returns the lightness of each pixel, 0..255. */
  toGrey(mask: Uint8Array, size: Size): Promise<Uint8Array>
  /** Enlarges a smaller picture softly to a number of steps, and these to a size with sharp edges. */
  enlarge(pixels: Pixels, steps: Size, size: Size): Promise<Pixels>
  /** The bytes of a PNG file. */
  toPng(pixels: Pixels): Promise<Uint8Array>
  /** The bytes of a JPEG file. @param quality from 1 to 100. */
  toJpeg(pixels: Pixels, quality: number): Promise<Uint8Array>
  /** The bytes of a WebP file, with alpha if there are four channels. @param quality from 1 to 100. */
  toWebp(pixels: Pixels, quality: number): Promise<Uint8Array>
  /**
   * Reads the size of a client's picture from its header. A canvas can't.
   * @throws {ImageRefused} as {@link Raster.decode} does.
   */
  measure?(bytes: Uint8Array, maxPixels: number): Promise<Size>
  /**
   * Decodes a client's picture to a JPEG: upright, on white, at most {@link maxSide} in size.
   * @param maxPixels the limit of width times height.
   * @returns the file, and the size of the original.
   * @throws {ImageRefused} if it is larger, or can't be decoded.
   */
  decode(bytes: Uint8Array, maxPixels: number): Promise<{ file: Uint8Array } & Size>
  /**
   * The same for a mask: on black, as PNG. What is light in it is covered.
   * @param covered if it is `transparent`, the transparent parts of the bytes become light, and all others black.
   * @throws {ImageRefused} as {@link Raster.decode} does.
   */
  decodeMask(bytes: Uint8Array, maxPixels: number, covered: CoveredPart): Promise<Uint8Array>
  /** The size of a file from {@link Raster.decode}. */
  sizeOf(file: Uint8Array): Promise<Size>
}

/** Which part of a mask is covered. */
export type CoveredPart = 'light' | 'transparent'

/** PNGs of flat pictures have fewer bytes than this. */
export const softBytes = 150_000

/** How long a picture may take to decode. */
export const decodeSeconds = 20

/** The longest side of a stored image. More would not be visible in any clip or picture. */
export const maxSide = 1920

/** @throws {ImageRefused} for too many pixels. */
export function checkPixels({ width, height }: { width: number; height: number }, most: number): void {
  if (width * height <= most) return
  throw new ImageRefused(
    `The image is too large: ${width}x${height} are ${megapixels(width * height)} megapixels, ` +
      `while at most ${megapixels(most)} are taken.`,
  )
}

/** @throws {ImageRefused} with the first line of the decoder's error. */
export function refuseAsDamaged(error: Error): never {
  const reason = error.message.split('\n', 1)[0]!.replace(/[.:\s]+$/, '')
  if (reason.startsWith('timeout')) {
    throw new ImageRefused(
      `The image takes more than ${decodeSeconds} s to read. Send a smaller one, or save it in another way.`,
      { cause: error },
    )
  }
  throw new ImageRefused(`The image is damaged or cut off, and can't be decoded: ${reason}.`, {
    cause: error,
  })
}

function megapixels(pixels: number): string {
  return (pixels / 1_000_000).toFixed(1)
}

/** The accepted picture formats, in the names of sharp. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'heif'

/**
 * Detects a picture's format by its first bytes. Other formats (SVG, PDF …) never reach a decoder, which might follow
 * references in them. `heif` includes AVIF.
 */
export function pictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^GIF8[79]a/.test(start)) return 'gif'
  if (/^RIFF....WEBP/s.test(start)) return 'webp'
  if (/^(II\*\0|MM\0\*)/.test(start)) return 'tiff'
  if (/^....ftypavi[fs]/s.test(start)) return 'heif'
  return undefined
}
