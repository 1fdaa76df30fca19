/** The signals by which an explored client gives up its requests. */
export class RequestDeadlines {
  #controllers: AbortController[] = []
  /** Requests during which the client has not slept so far. Only a sleep aborts a signal in virtual time. */
  readonly #withoutSleep = new Set<symbol>()
  #sleeping = 0
  #hasReal = false
  readonly #seen = new WeakSet<AbortSignal>()
  #hasShared = false

  get isEmpty(): boolean {
    return this.#controllers.length === 0
  }

  /** Whether a request ended during which nothing could abort its signal in virtual time. */
  get hasReal(): boolean {
    return this.#hasReal
  }

  /** Whether one signal belonged to several requests, as that of a deadline over all of them does. */
  get hasShared(): boolean {
    return this.#hasShared
  }

  /** Sends a request whose signal is also aborted by {@link pass}. */
  send<T>(
    { own, left }: { readonly own: AbortSignal; readonly left: AbortSignal },
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#hasShared ||= this.#seen.has(own)
    this.#seen.add(own)
    const controller = new AbortController()
    this.#controllers.push(controller)
    const request = Symbol('request')
    if (this.#sleeping === 0) this.#withoutSleep.add(request)
    return send(AbortSignal.any([own, left, controller.signal])).finally(() => {
      if (this.#withoutSleep.delete(request)) this.#hasReal = true
    })
  }

  /** Counts a sleep of the client, which may abort the requests that are on their way. */
  sleep<T>(sleeping: Promise<T>): Promise<T> {
    this.#withoutSleep.clear()
    this.#sleeping++
    return sleeping.finally(() => this.#sleeping--)
  }

  /** Aborts the requests as if their time had passed. */
  pass(): void {
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    for (const controller of this.#controllers) controller.abort(reason)
    this.#controllers = []
  }

  /** Forgets the requests of a client that has crashed. */
  clear(): void {
    this.#controllers = []
  }
}
