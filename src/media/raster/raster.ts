import type { PhotoView } from '../../pictures/composition/picture.ts'
import { ImageRefused } from '../source.ts'
import type { Pixels } from './pixels.ts'

/** Whole pixels. */
export interface Size {
  width: number
  height: number
}

/** The appearance of a photo: its crop, mirroring and light. */
export type PhotoLook = Pick<PhotoView, 'part' | 'flipped' | 'light' | 'saturation' | 'hue'>

/**
 * What turns drawings and files into pixels, and pixels into files: sharp in Node, a canvas in browsers. Everything else
 * about pictures is the same in both.
 */
export interface Raster {
  /** An SVG in its own size, with alpha where there are four channels. */
  draw(svg: string, channels: 3 | 4): Promise<Pixels>
  /**
   * A photo cut to fill a frame, in three channels.
   * @param photo a file that {@link Raster.decode} made, an SVG, or pixels.
   */
  drawPhoto(photo: Uint8Array | string | Pixels, frame: Size, look?: PhotoLook): Promise<Pixels>
  /** A file stretched to a size, in three channels. */
  stretch(file: Uint8Array, size: Size): Promise<Pixels>
  /** How light each pixel of a mask is, 0..255, stretched to a size. */
  toGrey(mask: Uint8Array, size: Size): Promise<Uint8Array>
  /** A smaller picture enlarged softly to some steps, and from there to a size with sharp corners. */
  enlarge(pixels: Pixels, steps: Size, size: Size): Promise<Pixels>
  /** The bytes of a PNG file. */
  toPng(pixels: Pixels): Promise<Uint8Array>
  /** The bytes of a WebP file, without alpha. */
  toWebp(pixels: Pixels): Promise<Uint8Array>
  /**
   * Decodes what a client sent: upright, on white, no larger than can be seen, as JPEG.
   * @param maxPixels width times height of what is taken.
   * @returns the file, and the size of what came.
   * @throws {ImageRefused} when it is larger, or can't be decoded.
   */
  decode(bytes: Uint8Array, maxPixels: number): Promise<{ file: Uint8Array } & Size>
  /**
   * The same for a mask: on black, as PNG.
   * @throws {ImageRefused} as {@link Raster.decode} does.
   */
  decodeMask(bytes: Uint8Array, maxPixels: number): Promise<Uint8Array>
  /** The size of a file that {@link Raster.decode} made. */
  sizeOf(file: Uint8Array): Promise<Size>
}

/** PNGs of flat pictures have fewer bytes. */
export const softBytes = 150_000

/** How long a picture may take to decode. */
export const decodeSeconds = 20

/** The longest side of a stored image: more can't be seen in any clip or picture. */
export const maxSide = 1920

/** @throws {ImageRefused} for more pixels than are taken. */
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
  throw new ImageRefused(`The image is damaged or cut off, and can't be decoded: ${reason}.`, {
    cause: error,
  })
}

function megapixels(pixels: number): string {
  return (pixels / 1_000_000).toFixed(1)
}

/** The picture formats that are taken, as sharp names them. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'heif'

/**
 * Tells a picture's format from its first bytes, so that nothing else (SVG, PDF …) ever reaches a decoder that
 * would follow what is written in it. `heif` is the family of AVIF.
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
