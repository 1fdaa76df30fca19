import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseQuery, passesFilter } from '../../src/dashboard/data/query.ts'
import type { Entry } from '../../src/dashboard/data/types.ts'

const poll = {
  number: 12,
  operation: 'video.poll',
  method: 'GET',
  path: '/v1/video/generations/task_Abc',
  status: 503,
  rules: ['Flaky'],
  fault: 'reset',
  task: 'task_Abc',
  key: 'sk-ab…yz',
  model: 'video-1',
  prompt: null,
  outcome: 'completed',
} as unknown as Entry

it.each([
  ['', true],
  ['op:video.*', true],
  ['op:video.poll status:503', true],
  ['op:*.poll', true],
  ['op:videoxpoll', false],
  ['status:>=400', true],
  ['status:<500', false],
  ['status:5', true],
  ['fault:reset rule:flaky', true],
  ['fault:drip', false],
  ['task:task_abc key:sk-ab model:video', true],
  ['generations 12', true],
  ['generations banana', false],
])('reads the query %j', (query, fits) => {
  expect(parseQuery(query)(poll)).toBe(fits)
})

it('never throws, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      for (const field of ['', 'op:', 'status:', 'status:>=', 'rule:'])
        expect(typeof parseQuery(field + text)(poll)).toBe('boolean')
    }),
  )
})

it('sorts exchanges by what their operations do', () => {
  const of = (role: Entry['role']): Entry => ({ ...poll, role, fault: null, rules: [], status: 200 })
  expect(passesFilter('poll', of('poll'))).toBe(true)
  expect(passesFilter('submit', of('submit'))).toBe(true)
  expect(passesFilter('download', of('download'))).toBe(true)
  expect(passesFilter('text', of('text'))).toBe(true)
  expect(passesFilter('text', of('stream'))).toBe(true)
  expect(passesFilter('download', of('poll'))).toBe(false)
  expect(passesFilter('fault', poll)).toBe(true)
  expect(passesFilter('refused', of('poll'))).toBe(false)
})
