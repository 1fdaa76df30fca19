import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
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

/** A digest of what is seen: of the pixels of a PNG, or the frames of an MP4. */
export async function fingerprint({ bytes, type }: Media): Promise<string> {
  const seen =
    type === 'image/png' ? (await raster({ bytes })).data : bytes.subarray(Buffer.from(bytes).indexOf('mdat'))
  return createHash('sha256').update(seen).digest('hex').slice(0, 16)
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

/** The beginning of a PNG of any size, with nothing in it. */
export function pngHeader(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(0)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
