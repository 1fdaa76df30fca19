/** A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Whether a value is a promise of any realm. In Jest, Node's own promises are not instances of the global `Promise`.
 */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Applies `go` synchronously if the value is available, otherwise when the promise resolves. */
export function mapMaybePromise<T, Made>(value: MaybePromise<T>, go: (value: T) => Made): MaybePromise<Made> {
  return isPromise(value) ? value.then(go) : go(value)
}

/** Resolves with the work's result, or rejects with the signal's reason as soon as it is aborted. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
