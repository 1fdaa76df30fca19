import type { PhotoView } from '../../pictures/composition/picture.ts'
import type { Pixels } from './pixels.ts'

/** Whole pixels. */
export interface Size {
  width: number
  height: number
}

/** How a photo is seen: how much of it, which way round, in which light. */
export type PhotoLook = Pick<PhotoView, 'part' | 'flipped' | 'light' | 'saturation' | 'hue'>

/**
 * What turns drawings and files into pixels, and pixels into files: sharp in Node, a canvas in browsers. Everything else
 * about pictures is the same in both.
 */
export interface Raster {
  /** An SVG in its own size, with alpha where there are four channels. */
  drawn(svg: string, channels: 3 | 4): Promise<Pixels>
  /**
   * A photo cut to fill a frame, in three channels.
   * @param photo a file that {@link Raster.decoded} made, or an SVG.
   */
  photo(photo: Uint8Array | string, frame: Size, look?: PhotoLook): Promise<Pixels>
  /** A file stretched to a size, in three channels. */
  stretched(file: Uint8Array, size: Size): Promise<Pixels>
  /** How light each pixel of a mask is, 0..255, stretched to a size. */
  grey(mask: Uint8Array, size: Size): Promise<Uint8Array>
  /** A smaller picture enlarged softly to some steps, and from there to a size with their corners kept. */
  enlarged(pixels: Pixels, steps: Size, size: Size): Promise<Pixels>
  /** The bytes of a PNG file. */
  png(pixels: Pixels): Promise<Uint8Array>
  /**
   * Decodes what a client sent: upright, on white, no larger than can be seen, as JPEG.
   * @param maxPixels width times height of what is taken.
   * @returns the file, and the size of what came.
   * @throws {ImageRefused} when it is larger, or can't be decoded.
   */
  decoded(bytes: Uint8Array, maxPixels: number): Promise<{ file: Uint8Array } & Size>
  /**
   * The same for a mask: on black, as PNG.
   * @throws {ImageRefused} as {@link Raster.decoded} does.
   */
  decodedMask(bytes: Uint8Array, maxPixels: number): Promise<Uint8Array>
  /** The size of a file that {@link Raster.decoded} made. */
  sizeOf(file: Uint8Array): Promise<Size>
}
