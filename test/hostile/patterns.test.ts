import { expect, it } from 'vitest'
import { shippedOperations } from '../../src/apis/index.ts'
import { readRule } from '../../src/scenario/rules/check-rule.ts'
import { maxPatternSize } from '../../src/scenario/schema/patterns.ts'
import { loadPatterns, maxPatternSteps, patternOf } from '../../src/scenario/schema/patterns.ts'

await loadPatterns()

const greedy = `(${'a?'.repeat(60)}){500}$b`

it('refuses a pattern whose repeats make it huge', () => {
  const rule = { match: { op: 'video.submit', body: { prompt: { regex: greedy } } }, delay: '1s' }
  const checked = readRule(rule, shippedOperations)
  expect('mistakes' in checked && checked.mistakes.join()).toContain(
    `more than ${maxPatternSize}. Repeat less.`,
  )
  expect(
    readRule(
      { ...rule, match: { op: 'video.submit', body: { prompt: { regex: '^(a|b){20}$' } } } },
      shippedOperations,
    ),
  ).toHaveProperty('rule')
})

it('looks no further with a huge pattern than its steps reach', () => {
  const pattern = patternOf(`x{1000}|needle`)
  const reach = Math.ceil(maxPatternSteps / pattern.size)
  expect(pattern.test(`${'y'.repeat(reach - 6)}needle`)).toBe(true)
  expect(pattern.test(`${'y'.repeat(reach)}needle`)).toBe(false)
})

it('finds what small patterns are meant to find, wherever it stands', () => {
  expect(patternOf('needle$').test(`${'y'.repeat(100_000)}needle`)).toBe(true)
})
