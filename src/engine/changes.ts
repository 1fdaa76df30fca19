/** Where a value of the state stands: the part it belongs to, and its names there. */
export type Address = readonly [part: string, ...names: string[]]

/** More than this at once nobody keeps one by one: then everything is to be written anew. */
const mostNoted = 500_000

/**
 * Which values of the state have changed since they were last kept. Values are read when they are kept, so what changes
 * twice is kept once. While nobody keeps anything, noting does nothing.
 */
export class Changes {
  #noted: Map<string, Address> | undefined
  #tooMany = false

  /** From now on what changes is noted. */
  begin(): void {
    this.#noted ??= new Map()
  }

  /** Notes that a value has changed, is new or is gone. */
  note(part: string, ...names: string[]): void {
    if (!this.#noted) return
    const address: Address = [part, ...names]
    this.#noted.set(names.length === 1 ? `${part}\n${names[0]}` : JSON.stringify(address), address)
    if (this.#noted.size > mostNoted) this.everything()
  }

  /** Notes that nothing is as it was kept. */
  everything(): void {
    if (!this.#noted) return
    this.#noted.clear()
    this.#tooMany = true
  }

  get isEmpty(): boolean {
    return (this.#noted === undefined || this.#noted.size === 0) && !this.#tooMany
  }

  /** What has changed, in the order in which it first did; undefined where everything has. */
  list(): readonly Address[] | undefined {
    return this.#tooMany ? undefined : [...(this.#noted?.values() ?? [])]
  }

  /** All that was noted is kept. */
  kept(): void {
    this.#noted?.clear()
    this.#tooMany = false
  }
}
