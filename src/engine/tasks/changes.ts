/** Where a value of the state stands: the part it belongs to, and its names there. */
export type StateKey = readonly [part: string, ...names: string[]]

/** More than this at once nobody keeps one by one: then everything is to be written anew. */
const maxNoted = 500_000

/** The same for the same address, and for no other. */
function keyOfAddress(address: StateKey): string {
  return address.length === 2 ? `${address[0]}\n${address[1]}` : JSON.stringify(address)
}

/** What has changed since somebody began to read, for whom reading takes more than one turn. */
export class Watch {
  /** Notes nothing more. */
  readonly end: () => void
  #changed = new Map<string, StateKey>()
  /** Whether so much has changed that reading must begin again. */
  isOver = false

  constructor(end: () => void) {
    this.end = end
  }

  note(address: StateKey): void {
    if (address[0] === 'cleared') this.isOver = true
    this.#changed.set(keyOfAddress(address), address)
  }

  /** What has changed since this was last called. */
  take(): readonly StateKey[] {
    const changed = [...this.#changed.values()]
    this.#changed = new Map()
    return changed
  }
}

/**
 * Which values of the state have changed since they were last kept. Values are read when they are kept, so what changes
 * twice is kept once. While nobody keeps anything, noting does nothing.
 */
export class Changes {
  readonly #watches = new Set<Watch>()
  #noted: Map<string, StateKey> | undefined
  #tooMany = false

  /** From now on what changes is noted. */
  begin(): void {
    this.#noted ??= new Map()
  }

  /** Notes that a value has changed, is new or is gone. */
  note(part: string, ...names: string[]): void {
    if (!this.#noted && this.#watches.size === 0) return
    const address: StateKey = [part, ...names]
    for (const watch of this.#watches) watch.note(address)
    if (!this.#noted) return
    this.#noted.set(keyOfAddress(address), address)
    if (this.#noted.size > maxNoted) this.everything()
  }

  /** Begins to note changes for a reader of its own, until that ends it. */
  watch(): Watch {
    const watch = new Watch(() => this.#watches.delete(watch))
    this.#watches.add(watch)
    return watch
  }

  /** Notes that nothing is as it was kept. */
  everything(): void {
    for (const watch of this.#watches) watch.isOver = true
    if (!this.#noted) return
    this.#noted.clear()
    this.#tooMany = true
  }

  get isEmpty(): boolean {
    return (this.#noted === undefined || this.#noted.size === 0) && !this.#tooMany
  }

  /** What has changed, in the order in which it first did; undefined where everything has. */
  list(): readonly StateKey[] | undefined {
    return this.#tooMany ? undefined : [...(this.#noted?.values() ?? [])]
  }

  /** All that was noted is kept. */
  kept(): void {
    this.#noted?.clear()
    this.#tooMany = false
  }
}
