/**
 * Works something out when it is first wanted, and only once. What is keyed can be drawn at any time, so whoever never
 * wants it never pays for it.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
