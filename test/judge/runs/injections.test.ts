import { expect, it } from 'vitest'
import { injections } from '../../../src/judge/runs/injections.ts'

const idsOf = (family: string): string[] =>
  injections.filter((injection) => injection.family === family).map(({ id }) => id)

it('knows for all of a family alike whether a request may have been accepted', () => {
  const unknown = injections.filter((injection) => injection.isAcceptanceUnknown)
  const families = [...new Set(unknown.map(({ family }) => family))]
  expect(families.toSorted()).toEqual([
    'answer lost',
    'bytes',
    'corrupt bytes',
    'ended early',
    'network',
    'stream',
  ])
  expect(unknown.map(({ id }) => id).toSorted()).toEqual(families.flatMap(idsOf).toSorted())
})

it('loses the responses to submissions by the faults that say so, the mildest first', () => {
  const lost = injections.filter(({ id }) => id === 'answer lost' || id === 'no answer')
  expect(lost.map(({ id, at }) => [id, at])).toEqual([
    ['answer lost', ['submit']],
    ['no answer', ['submit']],
  ])
})

it('splits characters in streams only', () => {
  expect(injections.find(({ id }) => id === 'split-character')?.at).toEqual(['stream'])
})
