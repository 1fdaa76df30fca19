/** Values of the latest names: when there are too many, the one that came first goes. */
export class Latest<Value> extends Map<string, Value> {
  readonly #most: number
  /** Where the oldest stands. Whoever asks a map for its first key anew each time walks over all that have gone. */
  #oldest: Iterator<string> | undefined

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(name: string, value: Value): this {
    super.set(name, value)
    // What it has gone by is gone, so the next one is always the oldest.
    if (this.size > this.#most) this.delete((this.#oldest ??= this.keys()).next().value!)
    return this
  }
}
