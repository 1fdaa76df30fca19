import { expect } from 'vitest'

const isMore = Symbol('and more')

/** Stands for `…` in a list or an object: any further items. */
export const more: object & Iterable<typeof isMore> = Object.create(
  {
    *[Symbol.iterator]() {
      yield isMore
    },
  },
  { [isMore]: { value: true, enumerable: true } },
)

/** Asserts that a value matches the example. `…` in a string matches any characters. */
export function shows(place: string, actual: unknown, expected: unknown): void {
  expect(actual, place).toEqual(matcherOf(expected))
}

/** Asserts that a call throws the error in the example. */
export async function throws(
  place: string,
  act: () => unknown,
  kind: abstract new (...args: never[]) => Error,
  message = '…',
): Promise<void> {
  const thrown = await (async () => act())().then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown, `${place} throws`).toBeInstanceOf(kind)
  shows(place, (thrown as Error).message, message)
}

function matcherOf(expected: unknown): unknown {
  if (typeof expected === 'string') {
    if (!expected.includes('…')) return expected
    const parts = expected.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return expect.stringMatching(new RegExp(`^${parts.join('[^]*')}$`))
  }
  if (Array.isArray(expected)) {
    const listed = expected.filter((each) => each !== isMore).map(matcherOf)
    return listed.length < expected.length ? expect.arrayContaining(listed) : listed
  }
  if (typeof expected !== 'object' || expected === null) return expected
  const fields = Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, matcherOf(value)]))
  return isMore in expected ? expect.objectContaining(fields) : fields
}
