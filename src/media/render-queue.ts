import { RenderFailed } from './source.ts'

interface Render<Result> {
  readonly key: string
  readonly work: Work<Result>
  readonly result: Promise<Result>
  readonly settle: { resolve: (result: Result) => void; reject: (error: unknown) => void }
  /** Ends the work while it runs. */
  readonly end: AbortController
  /** How many clients wait for it. */
  clients: number
  /** Whether it is made ahead for a client that will probably come. */
  isForeseen: boolean
  /** Whether no client is expected any more. */
  isForgotten: boolean
}

/** Work that may end early when its signal is aborted. */
export type Work<Result> = (signal: AbortSignal) => Promise<Result>

/** Gives the signal that is aborted when a client leaves; made only where somebody has to wait. */
export type Departure = () => AbortSignal

/** A render was dropped or ended because no client waits for it. */
export class RenderDropped extends RenderFailed {
  override name = 'NoLongerWanted'
}

/**
 * Work under a key: the same key wanted twice at once is done once, so many are done at a time, and what is
 * wanted goes before what may be wanted. A queued render is dropped when its last client leaves. A running one is finished,
 * since that client will probably try again, unless it is forgotten.
 */
export class RenderQueue<Result> {
  readonly #what: string
  readonly #atOnce: number
  readonly #maxWanted: number
  readonly #maxForeseen: number
  readonly #byKey = new Map<string, Render<Result>>()
  #wanted: Render<Result>[] = []
  #foreseen: Render<Result>[] = []
  readonly #running = new Set<Render<Result>>()
  #closed = false

  /** @param options how many run at a time, how many of either kind may wait, and what comes of it: a clip. */
  constructor(options: { atOnce: number; maxWanted: number; maxForeseen: number; what?: string }) {
    this.#what = options.what ?? 'clip'
    this.#atOnce = options.atOnce
    this.#maxWanted = options.maxWanted
    this.#maxForeseen = options.maxForeseen
  }

  /**
   * Does the work, or joins those who wait for it already.
   * @param departure of the client; without it, the client stays until the work is done.
   * @throws {RenderFailed} when too many wait, or after `close()`. {NoLongerWanted} when the last client leaves.
   */
  request(key: string, work: Work<Result>, departure?: Departure): Promise<Result> {
    const known = this.#byKey.get(key)
    if (known) {
      // A client waits now: what was only foreseen moves over to the wanted.
      if (this.#foreseen.includes(known)) {
        this.#foreseen = this.#foreseen.filter((render) => render !== known)
        this.#wanted.push(known)
      }
      return this.#join(known, departure)
    }
    if (this.#closed) {
      return Promise.reject(new RenderFailed(`Failed to render a ${this.#what}: greenroom is closed.`))
    }
    if (this.#wanted.length >= this.#maxWanted) {
      return Promise.reject(
        new RenderFailed(
          `Failed to render a ${this.#what}: ${this.#maxWanted} others are waiting already. ` +
            (this.#what === 'clip'
              ? 'Ask for fewer at a time, or for quality "fast".'
              : 'Ask for fewer at a time.'),
        ),
      )
    }
    const render = this.#enter(this.#wanted, key, work)
    const result = this.#join(render, departure)
    this.#begin()
    return result
  }

  /** Does the work, or joins who does it, if there is room; else gives nothing back. */
  prefetch(key: string, work: Work<Result>): Promise<Result> | undefined {
    const known = this.#byKey.get(key)
    if (known) {
      known.isForeseen = true
      known.isForgotten = false
      return known.result
    }
    const isBusy = this.#wanted.length > 0 || this.#foreseen.length >= this.#maxForeseen
    if (this.#closed || isBusy) return undefined
    const render = this.#enter(this.#foreseen, key, work)
    render.isForeseen = true
    this.#begin()
    return render.result
  }

  /**
   * No client is expected any more: ends the work as soon as no client waits for it.
   * @returns undefined when nothing is made under this key; else a promise that resolves when it has ended.
   */
  forget(key: string): Promise<void> | undefined {
    const render = this.#byKey.get(key)
    if (!render) return undefined
    render.isForeseen = false
    render.isForgotten = true
    const ended = render.result.then(
      () => undefined,
      () => undefined,
    )
    this.#endIfUnwanted(render)
    return ended
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

  /** Comes back when nothing runs any more. */
  async idle(): Promise<void> {
    const renders = new Set([...this.#byKey.values(), ...this.#running])
    await Promise.allSettled([...renders].map(({ result }) => result))
  }

  #enter(queue: Render<Result>[], key: string, work: Work<Result>): Render<Result> {
    let settle: Render<Result>['settle'] | undefined
    const result = new Promise<Result>((resolve, reject) => (settle = { resolve, reject }))
    const end = new AbortController()
    const counts = { clients: 0, isForeseen: false, isForgotten: false }
    const render = { key, work, result, settle: settle!, end, ...counts }
    this.#byKey.set(key, render)
    queue.push(render)
    return render
  }

  #join(render: Render<Result>, departure: Departure | undefined): Promise<Result> {
    render.clients += 1
    const signal = departure?.()
    if (!signal) return render.result
    const leave = (): void => {
      render.clients -= 1
      this.#endIfUnwanted(render)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return render.result.finally(() => signal.removeEventListener('abort', leave))
  }

  #endIfUnwanted(render: Render<Result>): void {
    if (render.clients > 0 || this.#byKey.get(render.key) !== render) return
    if (this.#running.has(render)) {
      if (!render.isForgotten) return
      this.#byKey.delete(render.key)
      return render.end.abort()
    }
    this.#wanted = this.#wanted.filter((other) => other !== render)
    if (render.isForeseen) {
      if (!this.#foreseen.includes(render)) this.#foreseen.push(render)
      return
    }
    this.#foreseen = this.#foreseen.filter((other) => other !== render)
    this.#byKey.delete(render.key)
    render.settle.reject(new RenderDropped(`Failed to render a ${this.#what}: no client waits for it.`))
  }

  #begin(): void {
    while (this.#running.size < this.#atOnce) {
      const render = this.#wanted.shift() ?? this.#foreseen.shift()
      if (!render) return
      this.#running.add(render)
      void this.#run(render)
    }
  }

  async #run(render: Render<Result>): Promise<void> {
    const { key, work, settle, end } = render
    try {
      settle.resolve(await work(end.signal))
    } catch (error) {
      const isEnded = end.signal.aborted
      settle.reject(
        isEnded ? new RenderDropped(`Failed to render a ${this.#what}: no client waits for it.`) : error,
      )
    }
    if (this.#byKey.get(key) === render) this.#byKey.delete(key)
    this.#running.delete(render)
    this.#begin()
  }
}
