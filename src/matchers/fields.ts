/** Compares values of any kind; matchers such as `expect.any(Number)` match. */
export type IsEqual = (received: unknown, wanted: unknown) => boolean

/** Whether a value has the expected fields, at any depth and in list items. */
export function containsFields(received: unknown, wanted: unknown, isEqual: IsEqual): boolean {
  if (Array.isArray(wanted) && Array.isArray(received)) {
    const isSame = (item: unknown, at: number): boolean => containsFields(received[at], item, isEqual)
    return wanted.length === received.length && wanted.every(isSame)
  }
  if (!isPlainObject(wanted)) return isEqual(received, wanted)
  if (typeof received !== 'object' || received === null) return false
  return Object.entries(wanted).every(
    ([key, inside]) =>
      Object.hasOwn(received, key) && containsFields(getField(received, key), inside, isEqual),
  )
}

/** The path of the first field with the value undefined. It is usually a typo, and would equal a missing field. */
export function findUndefined(expected: unknown): string | undefined {
  const value = sampleOf(expected)
  if (!isPlainObject(value)) return undefined
  for (const [name, inside] of Object.entries(value)) {
    if (inside === undefined) return name
    const rest = findUndefined(inside)
    if (rest !== undefined) return `${name}.${rest}`
  }
  return undefined
}

/** Replaces `expect.objectContaining({ … })` by its fields. Other matchers have no fields. */
export function withoutMatchers(expected: unknown): unknown {
  const value = sampleOf(expected)
  if (!isPlainObject(value)) return isMatcher(value) ? undefined : value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, withoutMatchers(inside)]))
}

function sampleOf(value: unknown): unknown {
  const isSample = isMatcher(value) && /^Object(?:Not)?Containing$/.test(String(value))
  return isSample ? sampleOf((value as { sample?: unknown }).sample) : value
}

function isMatcher(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value
}

/** Prepares a diff: makes matching fields equal on both sides, and removes fields without an expectation. */
export function alignFields(wanted: unknown, received: unknown, isEqual: IsEqual): [unknown, unknown] {
  if (isPlainObject(wanted) && typeof received === 'object' && received !== null) {
    const pairs = Object.entries(wanted).map(
      ([key, value]) => [key, ...alignFields(value, getField(received, key), isEqual)] as const,
    )
    return [
      Object.fromEntries(pairs.map(([key, one]) => [key, one])),
      Object.fromEntries(pairs.map(([key, , other]) => [key, other])),
    ]
  }
  return isEqual(received, wanted) ? [received, received] : [wanted, received]
}

export function getField(value: object, key: string): unknown {
  return (value as { readonly [name: string]: unknown })[key]
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isMatcher(value)) return false
  // Test runners evaluate tests in separate realms.
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
