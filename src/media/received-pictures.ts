import type { DiskCache } from './disk-cache.ts'
import { digestOf } from './digest.ts'
import { MemoryCache } from './memory-cache.ts'
import { pictureFormat } from './picture-format.ts'
import { loadSharp } from './sharp.ts'
import { Slots } from './slots.ts'
import { ImageRefused, type ReceivedImage } from './source.ts'

export interface PictureLimits {
  bytes: number
  pixels: number
}

/** Pictures that clients sent: checked, made small enough for a clip, kept under the digest of what came. */
export class ReceivedPictures {
  readonly #limits: PictureLimits
  readonly #disk: DiskCache | undefined
  readonly #memory = new MemoryCache<{ bytes: Uint8Array }>(32_000_000)
  /** Decoding takes memory by the pixel: two at a time. */
  readonly #slots = new Slots(2)

  constructor(options: { limits: PictureLimits; disk: DiskCache | undefined }) {
    this.#limits = options.limits
    this.#disk = options.disk
  }

  /** @throws {ImageRefused} */
  async receive(bytes: Uint8Array): Promise<ReceivedImage> {
    const { bytes: mostBytes } = this.#limits
    if (bytes.length > mostBytes) {
      throw new ImageRefused(
        `The image is too large: ${megabytes(bytes.length)} MB, while at most ${megabytes(mostBytes)} MB are taken.`,
      )
    }
    if (!pictureFormat(bytes)) {
      throw new ImageRefused('The image is not a picture: send PNG, JPEG, WebP, GIF, AVIF or TIFF.')
    }
    const digest = (await digestOf(bytes)).toString('hex')
    const { small, width, height } = await this.#slots.use(() => this.#decoded(bytes))
    this.#memory.put(digest, { bytes: small })
    await this.#disk?.put(fileOf(digest), small)
    return { digest, width, height, colours: ['#808080'] }
  }

  /** The picture as JPEG, unless it had to make room for others. */
  async get(digest: string): Promise<Uint8Array | undefined> {
    return this.#memory.get(digest)?.bytes ?? (await this.#disk?.get(fileOf(digest)))
  }

  async #decoded(bytes: Uint8Array): Promise<{ small: Uint8Array; width: number; height: number }> {
    const sharp = await loadSharp()
    const { pixels } = this.#limits
    // The header alone says how much memory the picture would take; nothing is decoded for it.
    const header = sharp(bytes, { limitInputPixels: false })
    const { autoOrient, width, height } = await header.metadata().catch(refuseAsDamaged)
    if (width * height > pixels) {
      throw new ImageRefused(
        `The image is too large: ${width}x${height} are ${megapixels(width * height)} megapixels, ` +
          `while at most ${megapixels(pixels)} are taken.`,
      )
    }
    const small = await sharp(bytes, { limitInputPixels: pixels, failOn: 'warning' })
      .timeout({ seconds: 20 })
      .autoOrient()
      .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer()
      .catch(refuseAsDamaged)
    return { small, width: autoOrient.width, height: autoOrient.height }
  }
}

const longestSide = 1920

function refuseAsDamaged(error: Error): never {
  const reason = error.message.split('\n', 1)[0]
  throw new ImageRefused(`The image is damaged or cut off, and can't be decoded: ${reason}.`, {
    cause: error,
  })
}

function fileOf(digest: string): string {
  return `picture-${digest}.jpg`
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function megapixels(pixels: number): string {
  return (pixels / 1_000_000).toFixed(1)
}
