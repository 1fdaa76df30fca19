import { type Colour, distance } from '../../pictures/places/colour.ts'
import { hexDigestOf, hexDigestOfText } from '../cache/digest.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { MemoryCache } from '../cache/media-cache.ts'
import { pictureFormat, type CoveredPart, type Raster } from '../raster/raster.ts'
import { Semaphore } from '../semaphore.ts'
import { hasTooManyParts, maxPartsOf } from './parts.ts'
import { ImageRefused, ImageStoreError, type Media, type ReceivedImage } from '../source.ts'

/** From this size on, a picture may take seconds to read. */
export const largePixels = 4_000_000
export const largeAtOnce = 1

interface PictureLimits {
  bytes: number
  pixels: number
}

/** Images from clients: checked, scaled down, and stored by the digest of the original bytes. */
export class ReceivedPictures {
  readonly #raster: Raster
  readonly #limits: PictureLimits
  readonly #disk: DiskCache | undefined
  readonly #isPromised: boolean
  readonly #memory = new MemoryCache<{ bytes: Uint8Array }>(32_000_000)
  /** Two at a time, because decoding takes memory by the pixel. */
  readonly #slots = new Semaphore(2)
  /** Large pictures hold up each other, and no small ones. */
  readonly #largeSlots = new Semaphore(largeAtOnce)

  /** @param options `isPromised`: whether to refuse an image that can't be written to the disk. */
  constructor(options: {
    raster: Raster
    limits: PictureLimits
    disk?: DiskCache | undefined
    isPromised?: boolean
  }) {
    this.#raster = options.raster
    this.#isPromised = options.isPromised ?? false
    this.#limits = options.limits
    this.#disk = options.disk
  }

  /** @throws {ImageRefused} */
  async receive(bytes: Uint8Array): Promise<ReceivedImage> {
    const digest = await this.#digestOfPicture(bytes)
    const { small, colours, width, height } = await this.#inTurn(bytes, () => this.#decoded(bytes))
    await this.#store(fileOf(digest), small)
    return { digest, width, height, colours }
  }

  /**
   * Receives a mask. The same file is another mask if another part of it is covered.
   * @throws {ImageRefused}
   */
  async receiveMask(bytes: Uint8Array, covered: CoveredPart = 'light'): Promise<{ digest: string }> {
    const own = await this.#digestOfPicture(bytes)
    const digest = covered === 'light' ? own : await hexDigestOfText(`${covered} ${own}`)
    const grey = await this.#inTurn(bytes, () => this.#raster.decodeMask(bytes, this.#limits.pixels, covered))
    await this.#store(maskFileOf(digest), grey)
    return { digest }
  }

  /** The picture as JPEG; undefined if it was evicted. */
  async get(digest: string): Promise<Uint8Array | undefined> {
    return isDigest(digest) ? this.#load(fileOf(digest)) : undefined
  }

  /** An image that was received before, from the store; undefined if it was evicted. */
  async recall(digest: string): Promise<{ image: ReceivedImage; media: Media } | undefined> {
    const bytes = await this.get(digest)
    if (!bytes) return undefined
    const { width, height } = await this.#raster.sizeOf(bytes)
    const colours = await dominantColours(this.#raster, bytes)
    const image = { digest, width, height, colours }
    return { image, media: { bytes, type: 'image/jpeg', etag: `"${await hexDigestOf(bytes)}"` } }
  }

  /** The mask as a grey PNG; undefined if it was evicted. */
  async getMask(digest: string): Promise<Uint8Array | undefined> {
    return isDigest(digest) ? this.#load(maskFileOf(digest)) : undefined
  }

  async #load(name: string): Promise<Uint8Array | undefined> {
    return this.#memory.get(name)?.bytes ?? (await this.#disk?.get(name))
  }

  async #store(name: string, bytes: Uint8Array): Promise<void> {
    this.#memory.put(name, { bytes })
    const isWritten = await this.#disk?.put(name, bytes)
    if (isWritten === false && this.#isPromised)
      throw new ImageStoreError('The picture could not be written to the disk.')
  }

  /** @throws {ImageRefused} for a file that is too large, has too many parts, or is not a picture by its first bytes. */
  async #digestOfPicture(bytes: Uint8Array): Promise<string> {
    const { bytes: maxBytes } = this.#limits
    if (bytes.length > maxBytes) {
      throw new ImageRefused(
        `The image is too large: ${megabytes(bytes.length)} MB, while at most ${megabytes(maxBytes)} MB are taken.`,
      )
    }
    const format = pictureFormat(bytes)
    if (!format) {
      throw new ImageRefused('The image is not a picture: send PNG, JPEG, WebP, GIF, AVIF or TIFF.')
    }
    if (hasTooManyParts(bytes, format)) {
      throw new ImageRefused(
        `The image has too many parts: at most ${maxPartsOf(bytes)} chunks or frames are taken.`,
      )
    }
    return hexDigestOf(bytes)
  }

  async #inTurn<Result>(bytes: Uint8Array, decode: () => Promise<Result>): Promise<Result> {
    const size = await this.#raster.measure?.(bytes, this.#limits.pixels)
    const isLarge = size !== undefined && size.width * size.height > largePixels
    return (isLarge ? this.#largeSlots : this.#slots).use(decode)
  }

  async #decoded(
    bytes: Uint8Array,
  ): Promise<{ small: Uint8Array; colours: Colour[]; width: number; height: number }> {
    const { file, width, height } = await this.#raster.decode(bytes, this.#limits.pixels)
    return { small: file, colours: await dominantColours(this.#raster, file), width, height }
  }
}

function fileOf(digest: string): string {
  return `picture-${digest}.jpg`
}

/** Only a digest may become a file name. */
function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

function maskFileOf(digest: string): string {
  return `mask-${digest}.png`
}

/** Megabytes in the unit of the option, rounded up: a file that is too large must not seem to fit. */
function megabytes(bytes: number): number {
  return Math.ceil((bytes / 1024 / 1024) * 100) / 100
}

/**
 * The three to five most frequent colours of a picture, in order; fewer if it has fewer.
 * @param picture a file from the raster.
 */
async function dominantColours(raster: Raster, picture: Uint8Array): Promise<Colour[]> {
  const { data } = await raster.stretch(picture, { width: SIDE, height: SIDE })
  const found = bucketsOf(data)
  const chosen: Colour[] = []
  for (const { colour, share } of found) {
    if (chosen.length === maxColours || (share < SMALLEST_SHARE && chosen.length >= minColours)) break
    if (chosen.every((other) => distance(colour, other) > CLOSE)) chosen.push(colour)
  }
  return chosen
}

const SIDE = 48
const maxColours = 5
const minColours = 3
/** A colour with a smaller share is ignored, unless there are few. */
const SMALLEST_SHARE = 0.02
/** Two colours at this distance count as one. */
const CLOSE = 9 * 30 * 30

/** The mean colours of pixels that agree in their highest bits, the most frequent first. */
function bucketsOf(rgb: Uint8Array): { colour: Colour; share: number }[] {
  const buckets = new Map<number, { count: number; sums: [number, number, number] }>()
  for (let i = 0; i < rgb.length; i += 3) {
    const [red, green, blue] = [rgb[i]!, rgb[i + 1]!, rgb[i + 2]!]
    const key = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5)
    const bucket = buckets.get(key) ?? { count: 0, sums: [0, 0, 0] }
    bucket.count += 1
    bucket.sums[0] += red
    bucket.sums[1] += green
    bucket.sums[2] += blue
    buckets.set(key, bucket)
  }
  return [...buckets]
    .toSorted(([keyA, a], [keyB, b]) => b.count - a.count || keyA - keyB)
    .map(([, { count, sums }]) => {
      const mean = sums.map((sum) =>
        Math.round(sum / count)
          .toString(16)
          .padStart(2, '0'),
      )
      return { colour: `#${mean.join('')}` as Colour, share: (3 * count) / rgb.length }
    })
}
