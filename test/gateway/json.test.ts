import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WorkBudget, WorkRefused } from '../../src/engine/work-budget.ts'
import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'
import { decodeText, hasTooMany, maxValues, parseBody, parseObject } from '../../src/gateway/bodies/json.ts'
import { codePoint } from '../support/arbitraries.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (bytes: Uint8Array, work = new WorkBudget()): unknown => runAtOnce(parseBody(bytes, work))

it('parses a large body as it parses a small one', () => {
  const object = fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue())
  fc.assert(
    fc.property(object, (value) => {
      const bytes = bytesOf(JSON.stringify(value))
      expect(parse(bytes)).toEqual(parseObject(bytes) ?? 'malformed')
    }),
  )
})

it('decodes characters that stand across two steps', () => {
  for (const shift of [0, 1, 2, 3]) {
    const text = 'x'.repeat(2 * 1024 * 1024 - shift) + '🪁é漢'.repeat(10)
    expect(runAtOnce(decodeText(bytesOf(text)))).toBe(text)
  }
  expect(runAtOnce(decodeText(Uint8Array.of(0x61, 0xff)))).toBeUndefined()
})

it.each([
  ['text that is no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'malformed'],
  ['a list', bytesOf('[]'), 'malformed'],
  ['what breaks off', bytesOf('{"a":"\\'), 'malformed'],
  ['what is nested too deep', bytesOf(`{"a":${'['.repeat(101)}${']'.repeat(101)}}`), 'malformed'],
  ['too many values', bytesOf(`{"a":[${'0,'.repeat(maxValues)}0]}`), 'too-many'],
])('takes no body of %s', (_, bytes, problem) => {
  expect(parse(bytes)).toBe(problem)
})

it('spends on escapes, which take long, and not on what looks like them', () => {
  const spentOn = (text: string): number => {
    const work = new WorkBudget(Infinity)
    parse(bytesOf(JSON.stringify({ text })), work)
    return work.spent
  }
  expect(spentOn('\n'.repeat(100_000))).toBeGreaterThan(5 * spentOn('nn'.repeat(100_000)))
  expect(() => parse(bytesOf(`{"a":"${'\\n'.repeat(7_000_000)}"}`))).toThrow(WorkRefused)
})

it('finds the end of strings behind any number of backslashes', () => {
  const many = ','.repeat(maxValues + 1)
  for (let slashes = 0; slashes < 6; slashes++) {
    const isOpen = slashes % 2 === 1
    expect(hasTooMany(`{"a":"${'\\'.repeat(slashes)}"${many}}`)).toBe(!isOpen)
  }
})
