/** What is known of texts, of the latest of them: of more than so many it begins anew. */
export class Memory<T> {
  readonly #most: number
  readonly #known = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(text: string): T | undefined {
    return this.#known.get(text)
  }

  keep(text: string, value: T): void {
    if (this.#known.size >= this.#most) this.#known.clear()
    this.#known.set(text, value)
  }
}

/**
 * Tells what comes again from what comes for the first time, of the latest texts. It may take a text for another that came
 * before. Nothing of a text is kept: what is asked but once, the collector needn't carry.
 */
export class Newcomers {
  readonly #latest = new Int32Array(maxNewcomers)
  #turn = 0

  /** Whether a text came lately; it has then. */
  hasCome(text: string): boolean {
    const hash = quickHash(text)
    const place = hash & (maxNewcomers - neighbours)
    for (let at = place; at < place + neighbours; at++) if (this.#latest[at] === hash) return true
    this.#turn = (this.#turn + 1) % neighbours
    this.#latest[place + this.#turn] = hash
    return false
  }
}

/** A power of two, of which as many as there are neighbours share one place, and take turns when they are more. */
const maxNewcomers = 2_048
const neighbours = 4

/** FNV-1a (Glenn Fowler, Landon Curt Noll, Kiem-Phong Vo, public domain); never 0. */
function quickHash(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // The lowest bits alone would say little of what stands in the beginning.
  return hash ^ (hash >>> 15) || 1
}

/**
 * What was worked out for a text, for those that come again and again: clients ask the same of the same. Whoever keeps
 * what they are given, as a journal does, then keeps one of it, not one for each request. It is kept from the second time on.
 */
export class Remembered<T> {
  readonly #make: (text: string) => T
  readonly #longest: number
  readonly #known: Memory<T>
  readonly #newcomers = new Newcomers()

  /**
   * @param make works it out: of the text alone, the same each time.
   * @param bounds `most` is how many are known at once, then it begins anew; `longest` how many characters a text may have
   * that is remembered. Longer ones are rare, and not worth the memory.
   */
  constructor(make: (text: string) => T, { most = 1_000, longest = 1_000 } = {}) {
    this.#make = make
    this.#longest = longest
    this.#known = new Memory(most)
  }

  of(text: string): T {
    if (text.length > this.#longest) return this.#make(text)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const made = this.#make(text)
    if (this.#newcomers.hasCome(text)) this.#known.keep(text, made)
    return made
  }
}
