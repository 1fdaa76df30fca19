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
