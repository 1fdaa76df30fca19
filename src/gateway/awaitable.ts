/** A value that is there, or one that comes. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: in the same turn, where it is there. */
export function whenThere<T, Made>(value: Awaitable<T>, go: (value: T) => Made): Awaitable<Made> {
  return value instanceof Promise ? value.then(go) : go(value)
}
