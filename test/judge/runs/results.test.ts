import { expect, it } from 'vitest'
import type { ClientRun } from '../../../src/judge/runs/client-run.ts'
import { findCommonResult, hasResult, missingLines } from '../../../src/judge/runs/results.ts'

/** A run of a command that prints these lines. */
const printing = (...lines: readonly string[]): ClientRun =>
  ({ result: lines.at(-1), lines }) as unknown as ClientRun

/** A run of a function that returns this value. */
const returning = (value: unknown): ClientRun => ({ result: JSON.stringify(value) }) as unknown as ClientRun

it('compares the last line where durations never change it', () => {
  const expected = findCommonResult([printing('a: 1', 'b: 2'), printing('b: 2')])!
  expect(hasResult(printing('retry', 'b: 2'), expected)).toBe(true)
  expect(hasResult(printing('b: 2', 'a: 1'), expected)).toBe(false)
})

it('takes lines that end in any order for a multiset, to which attempts may add', () => {
  const expected = findCommonResult([printing('a: 1', 'b: 2'), printing('b: 2', 'a: 1')])!
  expect(hasResult(printing('retry', 'b: 2', 'a: 1'), expected)).toBe(true)
  expect(hasResult(printing('a: 1', 'a: 1'), expected)).toBe(false)
  expect(hasResult(printing('b: 2', 'a: 0'), expected)).toBe(false)
  expect(missingLines(printing('b: 2'), expected)).toEqual(['a: 1'])
})

it('expects only the lines that each run without a fault printed', () => {
  const expected = findCommonResult([printing('40 %', 'a: 1', 'b: 2'), printing('b: 2', '70 %', 'a: 1')])!
  expect(expected.lines).toEqual(['a: 1', 'b: 2'])
  expect(hasResult(printing('b: 2', 'a: 1'), expected)).toBe(true)
})

it('takes arrays that are filled in any order for multisets', () => {
  const expected = findCommonResult([returning({ files: ['a', 'b'] }), returning({ files: ['b', 'a'] })])!
  expect(hasResult(returning({ files: ['b', 'a'] }), expected)).toBe(true)
  expect(hasResult(returning({ files: ['a', 'a'] }), expected)).toBe(false)
})

it('compares the order of arrays that durations never change', () => {
  const expected = findCommonResult([returning(['a', 'b']), returning(['a', 'b'])])!
  expect(hasResult(returning(['b', 'a']), expected)).toBe(false)
})

it('compares nothing if durations change more than the order', () => {
  expect(findCommonResult([returning('a'), returning('b')])).toBeUndefined()
  expect(findCommonResult([printing('winner: a'), printing('winner: b')])).toBeUndefined()
})
