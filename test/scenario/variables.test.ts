import { expect, it } from 'vitest'
import { Changes } from '../../src/engine/tasks/changes.ts'
import { fitsVariable, maxVariables, Variables } from '../../src/scenario/rules/variables.ts'

it.each<[Parameters<typeof fitsVariable>[0], Parameters<typeof fitsVariable>[1], boolean]>([
  ['degraded', 'degraded', true],
  ['degraded', undefined, false],
  [null, undefined, true],
  [null, 'degraded', false],
  [0, undefined, false],
  [{ min: 2 }, 2, true],
  [{ min: 2 }, 1, false],
  [{ max: 2 }, 2, true],
  [{ max: 2 }, 3, false],
  [{ max: 2 }, undefined, true],
  [{ min: 1 }, undefined, false],
  [{ min: 1 }, 'degraded', false],
  [{ min: 0 }, true, false],
])('compares the wanted value %j with %j: %s', (wanted, value, fits) => {
  expect(fitsVariable(wanted, value)).toBe(fits)
})

const variablesWith = (values: Parameters<Variables['set']>[1]): Variables => {
  const variables = new Variables(new Changes())
  variables.set('team', values)
  return variables
}

it('adds to numbers, and counts anything else as 0', () => {
  const variables = variablesWith({ count: 2, word: 'five', most: Number.MAX_SAFE_INTEGER })
  const add = { count: { add: -0.5 }, word: { add: 1 }, fresh: { add: 3 }, most: { add: 10 } }
  variables.set('team', { ...add, least: { add: -Infinity } })
  const names = [...Object.keys(add), 'least']
  expect(names.map((name) => variables.get('team', name))).toEqual([
    1.5,
    1,
    3,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
  ])
})

it('removes a variable that is set to null, and those of a forgotten namespace', () => {
  const variables = variablesWith({ mode: 'degraded', count: 1 })
  variables.set('other', { count: 2 })
  variables.set('team', { mode: null })
  expect([...variables.all()]).toEqual([
    ['team', 'count'],
    ['other', 'count'],
  ])
  variables.forget('team')
  expect([...variables.all()]).toEqual([['other', 'count']])
  expect(variables.get('team', 'count')).toBeUndefined()
})

it('sets only values without templates, and returns the others', () => {
  const variables = new Variables(new Changes())
  expect(variables.setPlain('team', { last: '${task.id}', mode: 'degraded' })).toEqual([
    { last: '${task.id}' },
  ])
  expect(variables.setPlain('team', { mode: 'well' })).toEqual([])
  expect([...variables.all()]).toEqual([['team', 'mode']])
  expect(variables.get('team', 'mode')).toBe('well')
})

it('keeps at most 1000 variables of a namespace, whose values can still change', () => {
  const many = Array.from({ length: maxVariables }, (_, index) => [`v${index}`, 0] as const)
  const variables = variablesWith(Object.fromEntries(many))
  variables.set('team', { v0: 1, more: 1 })
  expect([variables.get('team', 'v0'), variables.get('team', 'more')]).toEqual([1, undefined])
})
