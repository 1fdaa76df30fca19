import * as z from 'zod/mini'
import { expect, it } from 'vitest'
import { firstMistake } from '../../../src/scenario/schema/mistakes.ts'
import { throttleSchema } from '../../../src/scenario/vocabulary/throttle-schema.ts'

const match = { op: 'video.submit' }

it.each([
  [{ match, bucket: { capacity: 2 } }, /^bucket\.refill is missing: .+\.$/],
  [{ match, bucket: { capacity: 0, refill: '1/10s' } }, /^bucket\.capacity is 0: .+\.$/],
  [{ match, buckets: {} }, /^buckets is not known\. Did you mean "bucket"\?/],
])('says what is wrong with the throttle %j', (throttle, sentence) => {
  expect(firstMistake(throttleSchema, throttle)).toMatch(sentence)
})

it('names a value that contains itself', () => {
  const circular: unknown[] = []
  circular.push(circular)
  expect(firstMistake(throttleSchema, { match: circular })).toMatch(
    /^match is a value that JSON can't represent: /,
  )
})

it.each<[unknown, string, z.ZodMiniType]>([
  ['', 'must not be empty', z.string().check(z.minLength(1))],
  ['a', 'must have at least 2 characters', z.string().check(z.minLength(2))],
  ['ab', 'must have at most 1 characters', z.string().check(z.maxLength(1))],
  [[], 'must not be empty', z.array(z.string()).check(z.minLength(1))],
  [['a'], 'must have at least 2 entries', z.array(z.string()).check(z.minLength(2))],
  [['a', 'b'], 'must have at most 1 entries', z.array(z.string()).check(z.maxLength(1))],
  [1, 'must be more than 1', z.number().check(z.gt(1))],
  [0, 'must be at least 1', z.number().check(z.gte(1))],
  [1, 'must be less than 1', z.number().check(z.lt(1))],
  [2, 'must be at most 1', z.number().check(z.lte(1))],
])('names the bound that %j exceeds: %s', (value, message, schema) => {
  expect(firstMistake(schema, value)).toBe(`it is ${JSON.stringify(value)}: ${message}.`)
})

it.each<[unknown, string, z.ZodMiniType]>([
  ['a', 'it is "a": must be a mapping.', z.object({})],
  [[], 'it is []: must be a mapping.', z.record(z.string(), z.string())],
  ['a', 'it is "a": must be a list.', z.tuple([z.string()])],
  [1.5, 'it is 1.5: must be a whole number.', z.int()],
  [1, 'it is 1: must be null.', z.null()],
  [1, 'it is 1: must be date.', z.date()],
  [() => 1, 'it is a function: must be a text.', z.string()],
  [10n ** 70n, `it is 1${'0'.repeat(59)}: must be a text.`, z.string()],
  [['a'.repeat(80)], `it is ["${'a'.repeat(58)}: must be a text.`, z.string()],
  [null, 'it is null: must be a text.', z.string()],
  [{ keys: ['sk-a'] }, 'keys.0 is "…": must be a number.', z.object({ keys: z.array(z.number()) })],
  [{ controlToken: 'x' }, 'controlToken is "…": must be a number.', z.object({ controlToken: z.number() })],
  [{ key: 'x' }, 'key is "x": must be a number.', z.object({ key: z.number() })],
])('says of which kind %o must be: %s', (value, sentence, schema) => {
  expect(firstMistake(schema, value)).toBe(sentence)
})
