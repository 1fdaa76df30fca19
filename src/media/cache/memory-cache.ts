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
