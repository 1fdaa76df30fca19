import { expect, it } from 'vitest'
import { parseFraction } from '../../../src/scenario/schema/values.ts'

it.each([
  [0, 0],
  [0.25, 0.25],
  [1, 1],
  ['40%', 0.4],
  [' 12.5 % ', 0.125],
  ['100%', 1],
])('reads %j as a part of a whole', (fraction, value) => {
  expect(parseFraction(fraction)).toBe(value)
})

it.each([-0.1, 1.5, '101%', '40', '40% off', 'x40%', ''])('takes %j for no part of a whole', (fraction) => {
  expect(parseFraction(fraction)).toBeNaN()
})
