import { expect, it } from 'vitest'
import { isDelivered } from '../../src/judge/exchanges.ts'
import { chat, Story } from './entries.ts'

it.each([
  [null, true],
  ['drip', true],
  ['slow-start', true],
  ['duplicate-events', true],
  ['split-character', true],
  ['invalid-json', false],
  ['corrupt', false],
  ['wrong-type', false],
])('knows whether a text with fault %s is delivered', (fault, isWhole) => {
  const entry = new Story().add(chat({ fault, content: 'complete' }))
  expect(isDelivered(entry)).toBe(isWhole)
})
