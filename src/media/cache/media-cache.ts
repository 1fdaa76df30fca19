import { hexDigestOf } from './digest.ts'
import type { DiskCache } from './disk-cache.ts'
import type { MemoryCache } from './memory-cache.ts'
import type { Media } from '../source.ts'

/** What is kept: how its files are called, and what they hold. */
export interface KeptKind {
  /** Such as `clip` and `mp4`, for `clip-0123….mp4`. */
  name: string
  extension: string
  /** Such as `video/mp4`. */
  type: string
}

export const CLIP_FILES: KeptKind = { name: 'clip', extension: 'mp4', type: 'video/mp4' }
/** Pictures that were received have the same beginning, but end in `jpg`. */
export const PICTURE_FILES: KeptKind = { name: 'picture', extension: 'png', type: 'image/png' }

/** Finished clips or pictures, in memory and, where there is a folder for them, on disk. */
export class KeptMedia {
  readonly #memory: MemoryCache<Media>
  readonly #disk: DiskCache | undefined
  readonly #kind: KeptKind

  constructor(options: { memory: MemoryCache<Media>; disk: DiskCache | undefined; kind: KeptKind }) {
    this.#memory = options.memory
    this.#disk = options.disk
    this.#kind = options.kind
  }

  /** What is in memory. */
  remembered(key: string): Media | undefined {
    return this.#memory.get(key)
  }

  async get(key: string): Promise<Media | undefined> {
    const inMemory = this.remembered(key)
    if (inMemory) return inMemory
    const bytes = await this.#disk?.get(this.#fileOf(key))
    return bytes && this.#remember(key, bytes)
  }

  async put(key: string, bytes: Uint8Array): Promise<Media> {
    const media = await this.#remember(key, bytes)
    await this.#disk?.put(this.#fileOf(key), bytes)
    return media
  }

  async forget(key: string): Promise<void> {
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
