/** A value that is there, or one that comes. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value is a promise, of any realm: in Jest, Node's own promises are no instances of the global `Promise`. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on with a value: in the same turn, where it is there. */
export function whenThere<T, Made>(value: Awaitable<T>, go: (value: T) => Made): Awaitable<Made> {
  return isPromise(value) ? value.then(go) : go(value)
}
