import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultDimensions, embedText as embed } from '../../src/text/write/embed.ts'
import { spentMs } from '../support/processor-time.ts'
import { codePoint } from '../support/arbitraries.ts'

const embedText = (text: string, dimensions = defaultDimensions): number[] => embed(text, dimensions)

const nearness = (one: string, other: string): number => {
  const [left, right] = [embedText(one), embedText(other)]
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0)
}

it('puts texts that share words nearer to each other than others', () => {
  const cat = 'A cat sleeps on the sofa'
  const near = nearness(cat, 'The cats were sleeping on a sofa')
  const far = nearness(cat, 'Quarterly revenue rose by nine percent')
  expect(near).toBeGreaterThan(0.5)
  expect(Math.abs(far)).toBeLessThan(0.2)
  expect(nearness('weather in Oslo', 'the weather of Oslo today')).toBeGreaterThan(
    nearness('weather in Oslo', 'train to Rome'),
  )
})

it('has length 1 and the requested dimensions, for any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, maxLength: 60 }),
      fc.constantFrom(1, 2, 256, 768, 3_072),
      (text, dimensions) => {
        const vector = embedText(text, dimensions)
        expect(vector).toHaveLength(dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
      },
    ),
    { numRuns: 100 },
  )
})

it('is the beginning of a longer vector, made length 1 again', () => {
  const [short, long] = [embedText('paper boats', 4), embedText('paper boats', 768).slice(0, 4)]
  const length = Math.hypot(...long)
  for (const [index, value] of short.entries()) expect(value).toBeCloseTo(long[index]! / length, 4)
})

it('tells texts without words apart, and is the same every time', () => {
  expect(embedText('!!!')).not.toEqual(embedText('???'))
  expect(embedText('')).toEqual(embedText(''))
  expect(embedText('paper boats', 4)).toEqual(embedText('Paper boats', 4))
})

it('reads a megabyte in bounded time', () => {
  const text = 'some words that come again, '.repeat(36_000)
  expect(spentMs(() => embedText(text, 3_072))).toBeLessThan(2_000)
})
