import { RenderFailed } from './source.ts'

interface Render<Result> {
  key: string
  work: () => Promise<Result>
  result: Promise<Result>
  settle: { resolve: (result: Result) => void; reject: (error: unknown) => void }
}

/**
 * Work under a key: the same key wanted twice at once is done once, so many are done at a time, and what is
 * wanted goes before what may be wanted.
 */
export class Renders<Result> {
  readonly #what: string
  readonly #atOnce: number
  readonly #mostWanted: number
  readonly #mostForeseen: number
  readonly #byKey = new Map<string, Render<Result>>()
  #wanted: Render<Result>[] = []
  #foreseen: Render<Result>[] = []
  #running = 0
  #closed = false

  /** @param options how many run at a time, how many of either kind may wait, and what comes of it: a clip. */
  constructor(options: { atOnce: number; mostWanted: number; mostForeseen: number; what?: string }) {
    this.#what = options.what ?? 'clip'
    this.#atOnce = options.atOnce
    this.#mostWanted = options.mostWanted
    this.#mostForeseen = options.mostForeseen
  }

  /**
   * Does the work, or joins those who wait for it already.
   * @throws {RenderFailed} when too many wait, or after `close()`.
   */
  want(key: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#byKey.get(key)
    if (known) {
      // Somebody waits now: what was only foreseen moves over to the wanted.
      if (this.#foreseen.includes(known)) {
        this.#foreseen = this.#foreseen.filter((render) => render !== known)
        this.#wanted.push(known)
      }
      return known.result
    }
    if (this.#closed) {
      return Promise.reject(new RenderFailed(`Failed to render a ${this.#what}: greenroom is closed.`))
    }
    if (this.#wanted.length >= this.#mostWanted) {
      return Promise.reject(
        new RenderFailed(
          `Failed to render a ${this.#what}: ${this.#mostWanted} others are waiting already. ` +
            (this.#what === 'clip'
              ? 'Ask for fewer at a time, or for quality "fast".'
              : 'Ask for fewer at a time.'),
        ),
      )
    }
    return this.#enter(this.#wanted, key, work).result
  }

  /** Does the work, or joins who does it, if there is room; else gives nothing back. */
  foresee(key: string, work: () => Promise<Result>): Promise<Result> | undefined {
    const known = this.#byKey.get(key)
    if (known) return known.result
    const isBusy = this.#wanted.length > 0 || this.#foreseen.length >= this.#mostForeseen
    return this.#closed || isBusy ? undefined : this.#enter(this.#foreseen, key, work).result
  }

  /** Turns away those who wait and takes on nothing more; what runs is ended by its encoder's end. */
  close(): void {
    this.#closed = true
    for (const render of [...this.#wanted, ...this.#foreseen]) {
      this.#byKey.delete(render.key)
      render.settle.reject(
        new RenderFailed(`Failed to render a ${this.#what}: greenroom was closed meanwhile.`),
      )
    }
    this.#wanted = []
    this.#foreseen = []
  }

  /** Comes back when the work under this key is done, if there is any. Never fails. */
  async settled(key: string): Promise<void> {
    await this.#byKey.get(key)?.result.catch(() => undefined)
  }

  /** Comes back when nothing runs any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#byKey.values()].map(({ result }) => result))
  }

  #enter(queue: Render<Result>[], key: string, work: () => Promise<Result>): Render<Result> {
    let settle: Render<Result>['settle'] | undefined
    const result = new Promise<Result>((resolve, reject) => (settle = { resolve, reject }))
    const render = { key, work, result, settle: settle! }
    this.#byKey.set(key, render)
    queue.push(render)
    this.#begin()
    return render
  }

  #begin(): void {
    while (this.#running < this.#atOnce) {
      const render = this.#wanted.shift() ?? this.#foreseen.shift()
      if (!render) return
      this.#running += 1
      void this.#run(render)
    }
  }

  async #run({ key, work, settle }: Render<Result>): Promise<void> {
    try {
      settle.resolve(await work())
    } catch (error) {
      settle.reject(error)
    }
    this.#byKey.delete(key)
    this.#running -= 1
    this.#begin()
  }
}
