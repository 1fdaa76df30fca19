import sharp from 'sharp'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import type { Media, MediaSource } from '../../src/media/source.ts'

/** A source that ends with its test, without a folder unless there is one in the options. */
export function openMedia(options: NodeMediaOptions = {}): MediaSource & AsyncDisposable {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false, ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

/** A plain PNG. */
export function flat(colour: string, width = 120, height = 120): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer()
}

export interface Raster {
  width: number
  height: number
  /** rgb24. */
  data: Uint8Array
}

export async function raster({ bytes }: Pick<Media, 'bytes'>): Promise<Raster> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

/** A part of a picture, scaled to a size. */
export async function part(
  { width, height, data }: Raster,
  box: { left: number; top: number; width: number; height: number },
  size: { width: number; height: number } = box,
): Promise<Raster> {
  const cut = await sharp(data, { raw: { width, height, channels: 3 } })
    .extract(box)
    .raw()
    .toBuffer()
  const scaled = await sharp(cut, { raw: { width: box.width, height: box.height, channels: 3 } })
    .resize(size.width, size.height, { fit: 'fill' })
    .raw()
    .toBuffer()
  return { ...size, data: scaled }
}
