import { RenderFailed } from './source.ts'

/** Work that may end early when its signal is aborted. */
type RenderWork<Result> = (signal: AbortSignal) => Promise<Result>

/** Returns a signal that is aborted when a client leaves. Called only if the client has to wait. */
export type Departure = () => AbortSignal

/** Thrown if a render was dropped or ended because no client waits for it. */
export class RenderDropped extends RenderFailed {
  override name = 'RenderDropped'
}

interface Render<Result> {
  readonly key: string
  readonly work: RenderWork<Result>
  readonly result: Promise<Result>
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  readonly controller: AbortController
  /** How many clients wait for the render. */
  clients: number
  isPrefetch: boolean
  /** Whether no further client is expected. */
  isForgotten: boolean
}

/**
 * Renders by key. Concurrent requests for a key share one render, a few renders run at a time, and requests go before
 * prefetches. A queued render is dropped when its last client leaves. A running render continues, because that client will
 * probably try again, unless it is forgotten.
 */
export class RenderQueue<Result> {
  readonly #what: string
  readonly #maxRunning: number
  readonly #maxRequests: number
  readonly #maxPrefetches: number
  readonly #byKey = new Map<string, Render<Result>>()
  #waiting: Render<Result>[] = []
  readonly #running = new Set<Render<Result>>()
  #isClosed = false

  /** @param options.what the noun for messages: `clip`, or `picture`. */
  constructor(options: { maxRunning: number; maxRequests: number; maxPrefetches: number; what?: string }) {
    this.#what = options.what ?? 'clip'
    this.#maxRunning = options.maxRunning
    this.#maxRequests = options.maxRequests
    this.#maxPrefetches = options.maxPrefetches
  }

  /**
   * Starts the work, or joins the render of the key.
   * @param departure the departure of the client; without it, the client stays until the work is done.
   * @throws {RenderFailed} if too many requests wait, or after `close()`. {RenderDropped} when the last client leaves.
   */
  request(key: string, work: RenderWork<Result>, departure?: Departure): Promise<Result> {
    const known = this.#byKey.get(key)
    if (known) {
      // A prefetch that is requested moves to the end of the requests.
      if (known.clients === 0 && this.#remove(known)) this.#waiting.push(known)
      return this.#join(known, departure)
    }
    if (this.#isClosed) return Promise.reject(this.#failed('greenroom is closed.'))
    if (this.#count((render) => render.clients > 0) >= this.#maxRequests) {
      const advice = this.#what === 'clip' ? ', or use quality "fast"' : ''
      const why = `${this.#maxRequests} others are waiting already. Request fewer at a time${advice}.`
      return Promise.reject(this.#failed(why))
    }
    const result = this.#join(this.#add(key, work), departure)
    this.#start()
    return result
  }

  /** Starts the work, or joins the render of the key; undefined if the queue is full. */
  prefetch(key: string, work: RenderWork<Result>): Promise<Result> | undefined {
    let render = this.#byKey.get(key)
    if (!render) {
      const isBusy = this.#count(({ clients }) => clients > 0) > 0
      const isFull = this.#count(({ clients }) => clients === 0) >= this.#maxPrefetches
      if (this.#isClosed || isBusy || isFull) return undefined
      render = this.#add(key, work)
    }
    render.isPrefetch = true
    render.isForgotten = false
    this.#start()
    return render.result
  }

  /**
   * Ends the work as soon as no client waits for it, because no other client is expected.
   * @returns a promise that resolves when the work has ended; undefined if there is none for this key.
   */
  forget(key: string): Promise<void> | undefined {
    const render = this.#byKey.get(key)
    if (!render) return undefined
    render.isPrefetch = false
    render.isForgotten = true
    const settled = Promise.allSettled([render.result]).then(() => undefined)
    this.#dropIfUnused(render)
    return settled
  }

  /** Rejects waiting renders, and accepts no more. Running renders end with their encoder. */
  close(): void {
    this.#isClosed = true
    for (const render of this.#waiting.splice(0)) {
      this.#byKey.delete(render.key)
      render.reject(this.#failed('greenroom was closed meanwhile.'))
    }
  }

  /** Resolves when the present renders have ended. */
  async idle(): Promise<void> {
    const renders = new Set([...this.#byKey.values(), ...this.#running])
    await Promise.allSettled([...renders].map(({ result }) => result))
  }

  #add(key: string, work: RenderWork<Result>): Render<Result> {
    let settle!: Pick<Render<Result>, 'resolve' | 'reject'>
    const result = new Promise<Result>((resolve, reject) => (settle = { resolve, reject }))
    const controller = new AbortController()
    const render = {
      key,
      work,
      result,
      ...settle,
      controller,
      clients: 0,
      isPrefetch: false,
      isForgotten: false,
    }
    this.#byKey.set(key, render)
    this.#waiting.push(render)
    return render
  }

  #join(render: Render<Result>, departure: Departure | undefined): Promise<Result> {
    render.clients += 1
    const signal = departure?.()
    if (!signal) return render.result
    const leave = (): void => {
      render.clients -= 1
      this.#dropIfUnused(render)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return render.result.finally(() => signal.removeEventListener('abort', leave))
  }

  #dropIfUnused(render: Render<Result>): void {
    const { key, clients, isPrefetch, isForgotten, controller } = render
    if (clients > 0 || this.#byKey.get(key) !== render) return
    if (this.#running.has(render)) {
      if (!isForgotten) return
      this.#byKey.delete(key)
      controller.abort()
    } else if (!isPrefetch) {
      this.#remove(render)
      this.#byKey.delete(key)
      render.reject(this.#dropped())
    }
  }

  #start(): void {
    while (this.#running.size < this.#maxRunning) {
      const render = this.#waiting.find(({ clients }) => clients > 0) ?? this.#waiting[0]
      if (!render) return
      this.#remove(render)
      this.#running.add(render)
      void this.#run(render)
    }
  }

  async #run(render: Render<Result>): Promise<void> {
    const { key, work, controller } = render
    try {
      render.resolve(await work(controller.signal))
    } catch (error) {
      render.reject(controller.signal.aborted ? this.#dropped() : error)
    }
    if (this.#byKey.get(key) === render) this.#byKey.delete(key)
    this.#running.delete(render)
    this.#start()
  }

  #remove(render: Render<Result>): boolean {
    const index = this.#waiting.indexOf(render)
    if (index >= 0) this.#waiting.splice(index, 1)
    return index >= 0
  }

  #count(fits: (render: Render<Result>) => boolean): number {
    return this.#waiting.filter(fits).length
  }

  #failed(why: string): RenderFailed {
    return new RenderFailed(`Failed to render a ${this.#what}: ${why}`)
  }

  #dropped(): RenderDropped {
    return new RenderDropped(`Failed to render a ${this.#what}: no client waits for it.`)
  }
}
