import type { Media } from '../source.ts'
import type { ClipImage, ClipSpec, PictureFile, PictureSpec } from '../spec.ts'
import { hexDigestOf, hexDigestOfText } from './digest.ts'
import type { DiskCache } from './disk-cache.ts'

/** A kind of cached files, and their names. */
export interface MediaKind {
  /** The beginning of file names, such as `clip` for `clip-0123….mp4`. */
  name: string
  extension: string
  /** The media type, such as `video/mp4`. */
  type: string
}

export const clipFiles: MediaKind = { name: 'clip', extension: 'mp4', type: 'video/mp4' }
/** Received pictures have the same beginning, but the extension `jpg`. */
export const pictureFiles: MediaKind = { name: 'picture', extension: 'png', type: 'image/png' }

/** Pictures of other formats, which are only in memory. */
export const otherPictureFiles: Readonly<Record<PictureFile['format'], MediaKind>> = {
  jpeg: { name: 'picture', extension: 'jpeg', type: 'image/jpeg' },
  webp: { name: 'picture', extension: 'webp', type: 'image/webp' },
}

/** Finished clips or pictures, in memory and, if there is a folder for them, on disk. */
export class MediaCache {
  readonly #memory: MemoryCache<Media>
  readonly #disk: DiskCache | undefined
  readonly #kind: MediaKind

  constructor(options: { memory: MemoryCache<Media>; disk?: DiskCache | undefined; kind: MediaKind }) {
    this.#memory = options.memory
    this.#disk = options.disk
    this.#kind = options.kind
  }

  /** The entry if it is in memory. */
  peek(key: string): Media | undefined {
    return this.#memory.get(key)
  }

  async get(key: string): Promise<Media | undefined> {
    const inMemory = this.peek(key)
    if (inMemory) return inMemory
    const bytes = await this.#disk?.get(this.#fileOf(key))
    return bytes && this.#remember(key, bytes)
  }

  async put(key: string, bytes: Uint8Array): Promise<Media> {
    const media = await this.#remember(key, bytes)
    await this.#disk?.put(this.#fileOf(key), bytes)
    return media
  }

  async remove(key: string): Promise<void> {
    this.#memory.remove(key)
    await this.#disk?.remove(this.#fileOf(key))
  }

  async #remember(key: string, bytes: Uint8Array): Promise<Media> {
    const media = { bytes, type: this.#kind.type, etag: `"${await hexDigestOf(bytes)}"` }
    this.#memory.put(key, media)
    return media
  }

  #fileOf(key: string): string {
    return `${this.#kind.name}-${key}.${this.#kind.extension}`
  }
}

/** Increase it when the same spec gives other bytes than before. */
const clipRecipe = 7

/**
 * The cache key of a clip: a hash of everything that its bytes depend on.
 * @param options.encoder the identity of the encoder; undefined for clips that need none.
 * @param options.pictureIsMissing whether a placeholder replaces the received picture.
 */
export function clipKey(
  spec: ClipSpec,
  options: { encoder: string | undefined; pictureIsMissing: boolean },
): string {
  const { prompt, model, seed, taskId, width, height, seconds, framesPerSecond, quality, caption } = spec
  const image = spec.image && imageName(spec.image)
  // The task id is in the caption, and in the pattern of fast clips. Without these, tasks may share a clip.
  const task = quality !== 'full' || caption ? taskId : ''
  const parts = [clipRecipe, options.encoder ?? '', options.pictureIsMissing]
  const shape = [width, height, seconds, framesPerSecond, quality, caption]
  const more = spec.moreImages ? [spec.moreImages.map(imageName)] : []
  const canonical = JSON.stringify([
    ...parts,
    ...shape,
    prompt,
    model,
    seed,
    task,
    image ?? null,
    ...more,
    ...(spec.audio ? [{ audio: spec.audio }] : []),
  ])
  return hexDigestOfText(canonical)
}

function imageName(image: ClipImage): unknown[] {
  if ('picture' in image) return ['picture', pictureKey(image.picture, { isWhole: true })]
  return 'url' in image ? ['url', image.url] : ['digest', image.digest]
}

/** Increase it when the same spec gives other bytes than before. */
const pictureRecipe = 5

/**
 * The cache key of a picture: a hash of everything that its bytes depend on.
 * @param options.isWhole whether all its source images are available; placeholders replace missing ones.
 */
export function pictureKey(spec: PictureSpec, { isWhole }: { isWhole: boolean }): string {
  const { drawing, tile, progress, maxSide, size, isCutOut, file } = spec
  const isFinished = progress === undefined || progress >= 100
  // Pictures without these keep the names that they had before there were any.
  const others = size || isCutOut || file ? [sortKeys({ size, isCutOut, file })] : []
  const shape = [tile ?? null, isFinished ? null : progress, maxSide ?? null, ...others]
  const canonical = JSON.stringify([pictureRecipe, isWhole, ...shape, sortKeys(drawing)])
  return hexDigestOfText(canonical)
}

/** The same data with sorted keys, since their order does not affect the picture. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, part]) => [name, sortKeys(part)]))
}

/** An LRU cache, limited by bytes. */
export class MemoryCache<Entry extends { bytes: Uint8Array }> {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry) {
      // Moves the entry to the end. The first entry is the least recently used.
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry
  }

  put(key: string, entry: Entry): void {
    if (entry.bytes.length > this.#maxBytes) return
    this.remove(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes.length
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.remove(oldest)
    }
  }

  remove(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes.length
  }
}
