import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Newcomers, Remembered } from '../../src/engine/remembered.ts'

it('works a text out once where it comes again and again', () => {
  const made: string[] = []
  const lengths = new Remembered((text) => {
    made.push(text)
    return { length: text.length }
  })
  const answers = ['kite', 'kite', 'kite', 'kite'].map((text) => lengths.of(text))
  expect(answers.map(({ length }) => length)).toEqual([4, 4, 4, 4])
  expect(made).toEqual(['kite', 'kite'])
  expect(answers[3]).toBe(answers[1])
})

it('keeps nothing of what comes but once, so that it takes no room from the others', () => {
  let made = 0
  const lengths = new Remembered((text) => ({ length: text.length, made: ++made }), { most: 10 })
  lengths.of('kite')
  const kept = lengths.of('kite')
  for (let number = 0; number < 500; number++) lengths.of(`boat ${number}`)
  expect(lengths.of('kite')).toBe(kept)
})

it('works out anew what is too long to be kept', () => {
  const lengths = new Remembered((text) => ({ length: text.length }), { longest: 4 })
  const asked = (text: string): object[] => [lengths.of(text), lengths.of(text), lengths.of(text)]
  const [, kept, again] = asked('kite')
  expect(again).toBe(kept)
  expect(new Set(asked('kites')).size).toBe(3)
})

it('says what would be worked out anew, whatever came before', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'ab', 'ba', '', 'abc'), { maxLength: 60 })
  fc.assert(
    fc.property(words, (texts) => {
      const reversed = new Remembered((text) => [...text].reverse().join(''), { most: 3 })
      for (const text of texts) expect(reversed.of(text)).toBe([...text].reverse().join(''))
    }),
  )
})

it('knows what came lately', () => {
  const newcomers = new Newcomers()
  expect([newcomers.hasCome('kite'), newcomers.hasCome('boat'), newcomers.hasCome('kite')]).toEqual([
    false,
    false,
    true,
  ])
  for (let number = 0; number < 20_000; number++) newcomers.hasCome(`other ${number}`)
  expect(newcomers.hasCome('kite')).toBe(false)
})
