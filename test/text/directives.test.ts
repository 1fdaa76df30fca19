import { expect, it } from 'vitest'
import { takePromptFault } from '../../src/text/directives.ts'
import { spentMs } from '../support/processor-time.ts'

it.each([
  [
    '[[error 503 after 5: one\ntwo]] hello',
    { kind: 'error', status: 503, message: 'one\ntwo', afterTokens: 5 },
  ],
  ['[[error: busy: wait]] hello', { kind: 'error', status: 500, message: 'busy: wait', afterTokens: 0 }],
  ['[[ cut  after  7 ]] hello', { kind: 'cut', afterTokens: 7 }],
  [`[[error 429: ${'x'.repeat(10_000)}]] hello`, { status: 429, message: 'x'.repeat(10_000) }],
])('takes the directive of a failure out of %j', (text, fault) => {
  expect(takePromptFault(text)).toMatchObject({ text: 'hello', fault })
})

it('reads a directive of a failure in time proportional to its length', () => {
  const hostile = `[[error ${' '.repeat(1_000_000)}x]]`
  expect(takePromptFault(hostile)).toEqual({ text: hostile, fault: undefined })
  expect(spentMs(() => takePromptFault(hostile))).toBeLessThan(1_000)
})
