import { expect, it } from 'vitest'
import { placeText } from '../../src/files/error.ts'

it('names a place in a file as exactly as it is known', () => {
  expect(placeText({ file: 'it.yaml', line: 3, column: 5 })).toBe('it.yaml:3:5')
  expect(placeText({ file: 'it.ts', line: 3 })).toBe('it.ts:3')
  expect(placeText({ file: 'it.mjs' })).toBe('it.mjs')
})
