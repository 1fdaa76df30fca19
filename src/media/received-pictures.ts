import type { Sharp } from 'sharp'
import type { Colour } from '../scene/colour.ts'
import type { DiskCache } from './disk-cache.ts'
import { digestOf } from './digest.ts'
import { dominantColours } from './dominant-colours.ts'
import { MemoryCache } from './memory-cache.ts'
import { pictureFormat } from './picture-format.ts'
import { loadSharp } from './sharp.ts'
import { Slots } from './slots.ts'
import { ImageRefused, type Media, type ReceivedImage } from './source.ts'

export interface PictureLimits {
  bytes: number
  pixels: number
}

/** Pictures that clients sent: checked, made small enough to be drawn, kept under the digest of what came. */
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
    const digest = await this.#digestOfPicture(bytes)
    const { small, colours, width, height } = await this.#slots.use(() => this.#decoded(bytes))
    await this.#keep(fileOf(digest), small)
    return { digest, width, height, colours }
  }

  /**
   * Takes a mask: what is light and opaque in it is covered.
   * @throws {ImageRefused}
   */
  async receiveMask(bytes: Uint8Array): Promise<{ digest: string }> {
    const digest = await this.#digestOfPicture(bytes)
    const grey = await this.#slots.use(() => this.#greyOf(bytes))
    await this.#keep(maskFileOf(digest), grey)
    return { digest }
  }

  /** The picture as JPEG, unless it had to make room for others. */
  async get(digest: string): Promise<Uint8Array | undefined> {
    return isDigest(digest) ? this.#kept(fileOf(digest)) : undefined
  }

  /** What is known of a picture that was received before, as it is kept. */
  async recall(digest: string): Promise<{ image: ReceivedImage; media: Media } | undefined> {
    const bytes = await this.get(digest)
    if (!bytes) return undefined
    const sharp = await loadSharp()
    const { width, height } = await sharp(bytes).metadata()
    const image = { digest, width, height, colours: await dominantColours(bytes) }
    return {
      image,
      media: { bytes, type: 'image/jpeg', etag: `"${(await digestOf(bytes)).toString('hex')}"` },
    }
  }

  /** The mask as a grey PNG, unless it had to make room for others. */
  async getMask(digest: string): Promise<Uint8Array | undefined> {
    return isDigest(digest) ? this.#kept(maskFileOf(digest)) : undefined
  }

  async #kept(name: string): Promise<Uint8Array | undefined> {
    return this.#memory.get(name)?.bytes ?? (await this.#disk?.get(name))
  }

  async #keep(name: string, bytes: Uint8Array): Promise<void> {
    this.#memory.put(name, { bytes })
    await this.#disk?.put(name, bytes)
  }

  /** @throws {ImageRefused} for what is too large, or no picture by its first bytes. */
  async #digestOfPicture(bytes: Uint8Array): Promise<string> {
    const { bytes: mostBytes } = this.#limits
    if (bytes.length > mostBytes) {
      throw new ImageRefused(
        `The image is too large: ${megabytes(bytes.length)} MB, while at most ${megabytes(mostBytes)} MB are taken.`,
      )
    }
    if (!pictureFormat(bytes)) {
      throw new ImageRefused('The image is not a picture: send PNG, JPEG, WebP, GIF, AVIF or TIFF.')
    }
    return (await digestOf(bytes)).toString('hex')
  }

  async #decoded(
    bytes: Uint8Array,
  ): Promise<{ small: Uint8Array; colours: Colour[]; width: number; height: number }> {
    const { autoOrient } = await this.#header(bytes)
    const small = await (
      await this.#reader(bytes)
    )
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer()
      .catch(refuseAsDamaged)
    const colours = await dominantColours(small)
    return { small, colours, width: autoOrient.width, height: autoOrient.height }
  }

  async #greyOf(bytes: Uint8Array): Promise<Uint8Array> {
    await this.#header(bytes)
    return (await this.#reader(bytes))
      .flatten({ background: '#000000' })
      .greyscale()
      .png({ compressionLevel: 4 })
      .toBuffer()
      .catch(refuseAsDamaged)
  }

  /** The header alone says how much memory the picture would take; nothing is decoded for it. */
  async #header(bytes: Uint8Array): Promise<{ autoOrient: { width: number; height: number } }> {
    const sharp = await loadSharp()
    const { pixels } = this.#limits
    const header = sharp(bytes, { limitInputPixels: false })
    const { autoOrient, width, height } = await header.metadata().catch(refuseAsDamaged)
    if (width * height > pixels) {
      throw new ImageRefused(
        `The image is too large: ${width}x${height} are ${megapixels(width * height)} megapixels, ` +
          `while at most ${megapixels(pixels)} are taken.`,
      )
    }
    return { autoOrient }
  }

  /** Upright, and no larger than can be seen. */
  async #reader(bytes: Uint8Array): Promise<Sharp> {
    const sharp = await loadSharp()
    return sharp(bytes, { limitInputPixels: this.#limits.pixels, failOn: 'warning' })
      .timeout({ seconds: decodeSeconds })
      .autoOrient()
      .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
  }
}

/** How long a picture may take to decode. */
export const decodeSeconds = 20

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

/** Whatever else comes in its place is no name of a file. */
function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

function maskFileOf(digest: string): string {
  return `mask-${digest}.png`
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function megapixels(pixels: number): string {
  return (pixels / 1_000_000).toFixed(1)
}
