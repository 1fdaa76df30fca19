import fc from 'fast-check'
import * as z from 'zod/mini'
import { expect, it } from 'vitest'
import { checkAgainst } from '../../../src/scenario/schema/mistakes.ts'

const list = z.array(z.union([z.literal('x'), z.int().check(z.minimum(0))])).check(z.maxLength(2))
const kinds = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('one'), a: z.optional(z.string()) }),
  z.strictObject({ type: z.literal('two'), b: z.nullable(z.number()) }),
])
const schema = z
  .strictObject({
    a: z.union([z.string().check(z.minLength(1)), z.record(z.string().check(z.regex(/^[a-c]$/)), list)]),
    b: z.optional(z.union([kinds, z.looseObject({ c: z.boolean() }), z.tuple([z.string(), z.number()])])),
    c: z.optional(z.lazy(() => kinds)),
  })
  .check(z.refine(({ a, c }) => a !== 'x' || c === undefined))

const leaf = fc.constantFrom('x', 'one', 'two', '', -1, 3, 1.5, true, null)
const items = fc.array(leaf, { maxLength: 3 })
const keyed = fc.dictionary(fc.constantFrom('a', 'b', 'd'), items, { maxKeys: 2 })
const typed = fc.record({ type: leaf, a: leaf, b: leaf, c: leaf }, { requiredKeys: [] })

it('accepts exactly the values that zod accepts, and reads them alike', () => {
  const value = fc.record(
    { a: fc.oneof(leaf, keyed), b: fc.oneof(leaf, typed, items), c: typed, d: leaf },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(value, (given) => {
      const { success, data } = z.safeParse(schema, given)
      const checked = checkAgainst(schema, given)
      if (success) expect(checked).toEqual({ value: data })
      else expect(checked).toEqual({ mistakes: expect.arrayContaining([expect.anything()]) as unknown })
    }),
    { numRuns: 500 },
  )
})

const mistakesOf = (given: unknown): string[] => {
  const checked = checkAgainst(schema, given)
  return 'value' in checked
    ? []
    : checked.mistakes.map(({ place, message }) => `${place.join('.')} ${message}`)
}

it('explains all mistakes of a value, at any depth', () => {
  expect(mistakesOf({ a: { a: ['x', 'y', -1], d: [] }, c: { type: 'two', e: 1 } })).toEqual([
    'a.a must have at most 2 entries',
    'a.a.1 must be x',
    'a.a.2 must be at least 0',
    "a.d can't be a key: Invalid input",
    'c.b must be a number',
    'c.e is not known. Known here: type, b',
  ])
})

it('explains an object by the word that tells it apart', () => {
  expect(mistakesOf({ a: 'y', c: { type: 'three' } })).toEqual(['c.type must be one of one, two.'])
  expect(mistakesOf({ a: 'y', b: { type: 'one', a: 5 } })).toEqual(['b.a must be a text'])
})
