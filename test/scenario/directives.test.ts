import { expect, it } from 'vitest'
import { readTaskDirectives } from '../../src/scenario/directives.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

it.each([
  ['a kite [[fail: content policy]]', 'a kite', { outcome: 'failure', reason: 'content policy' }],
  ['a kite [[ fail : no luck ]]', 'a kite', { outcome: 'failure', reason: 'no luck' }],
  ['[[FAIL]] a kite', 'a kite', { outcome: 'failure' }],
  ['a [[stuck]] kite', 'a kite', { render: 'forever' }],
  ['a kite [[queued 10s]][[render 2m]]', 'a kite', { queued: 10_000, render: 120_000 }],
  ['一只风筝 [[queued forever]]', '一只风筝', { queued: 'forever' }],
  ['a [[wiki link]] and [[failure]]', 'a [[wiki link]] and [[failure]]', {}],
  ['[[fail:', '[[fail:', {}],
  ['[[fail: one\ntwo]] a kite', 'a kite', { outcome: 'failure', reason: 'one\ntwo' }],
  [`a kite [[fail: ${'x'.repeat(100_000)}]]`, 'a kite', { outcome: 'failure', reason: 'x'.repeat(100_000) }],
])('reads %j', (text, prompt, shape) => {
  expect(readTaskDirectives(text)).toEqual({ prompt, shape })
})

it('reports invalid directives', () => {
  expect(() => readTaskDirectives('a kite [[queued banana]]')).toThrow(
    '[[queued banana]] can\'t be read: "banana" is not',
  )
})

it('parses a prompt of brackets and spaces quickly', () => {
  const elapsedMs = startProcessorTimer()
  expect(readTaskDirectives(`[[fail${' '.repeat(31_000)}`).shape).toEqual({})
  expect(readTaskDirectives('[['.repeat(15_000)).shape).toEqual({})
  expect(elapsedMs()).toBeLessThan(1_000)
})
