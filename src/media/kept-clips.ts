import { digestOf } from './digest.ts'
import type { DiskCache } from './disk-cache.ts'
import type { MemoryCache } from './memory-cache.ts'
import type { Media } from './source.ts'

/** Finished clips, in memory and, where there is a folder for them, on disk. */
export class KeptClips {
  readonly #memory: MemoryCache<Media>
  readonly #disk: DiskCache | undefined

  constructor(options: { memory: MemoryCache<Media>; disk: DiskCache | undefined }) {
    this.#memory = options.memory
    this.#disk = options.disk
  }

  async get(key: string): Promise<Media | undefined> {
    const inMemory = this.#memory.get(key)
    if (inMemory) return inMemory
    const bytes = await this.#disk?.get(fileOf(key))
    return bytes && this.#remember(key, bytes)
  }

  async put(key: string, bytes: Uint8Array): Promise<Media> {
    const media = await this.#remember(key, bytes)
    await this.#disk?.put(fileOf(key), bytes)
    return media
  }

  async forget(key: string): Promise<void> {
    this.#memory.remove(key)
    await this.#disk?.remove(fileOf(key))
  }

  async #remember(key: string, bytes: Uint8Array): Promise<Media> {
    const digest = await digestOf(bytes)
    const media = { bytes, type: 'video/mp4', etag: `"${digest.toString('hex')}"` }
    this.#memory.put(key, media)
    return media
  }
}

function fileOf(key: string): string {
  return `clip-${key}.mp4`
}
