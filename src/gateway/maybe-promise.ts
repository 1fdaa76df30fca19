/** A value that is there, or one that comes. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, of any realm: in Jest, Node's own promises are no instances of the global `Promise`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on with a value: in the same turn, where it is there. */
export function mapMaybePromise<T, Made>(value: MaybePromise<T>, go: (value: T) => Made): MaybePromise<Made> {
  return isPromise(value) ? value.then(go) : go(value)
}
