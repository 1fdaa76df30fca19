import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'
import {
  invalidNamespace,
  namespaceName,
  Namespaces,
  NamespacesFull,
  newNamespace,
  type Namespace,
} from '../../src/engine/namespace.ts'
import { Changes } from '../../src/engine/tasks/changes.ts'

it('removes a namespace that was not used for a day, with its tasks, when another one is created', () => {
  let elapsedMs = 0
  const day = 86_400_000
  const gone: string[] = []
  const uses = new Map<string, number>()
  const namespaces = new Namespaces<Namespace>({
    create: (name) => newNamespace(name, new Clock({ mode: 'manual' }), new Changes()),
    canRemove: () => false,
    onRemove: ({ name }) => gone.push(name),
    max: 100,
    idle: { afterMs: day, activity: ({ name }) => uses.get(name) ?? 0, elapsedMs: () => elapsedMs },
  })
  for (const name of ['default', 'left', 'used']) namespaces.get(name)
  for (let hour = 0; hour <= 50; hour++) {
    elapsedMs += day / 24
    uses.set('used', hour)
    namespaces.get(`other-${hour}`)
    if (hour === 20) expect(gone).toEqual([])
  }
  expect(gone).toContain('left')
  expect(gone).not.toContain('used')
  expect(gone).not.toContain('default')
  expect(namespaces.all().length).toBeLessThan(35)
})

it('makes room for a namespace by removing the oldest that may go, and refuses it if none may', () => {
  const gone: string[] = []
  const busy = new Set(['busy'])
  const namespaces = new Namespaces<Namespace>({
    create: (name) => newNamespace(name, new Clock({ mode: 'manual' }), new Changes()),
    canRemove: ({ name }) => !busy.has(name),
    onRemove: ({ name }) => gone.push(name),
    max: 3,
  })
  for (const name of ['default', 'busy', 'free', 'new']) namespaces.get(name)
  expect(gone).toEqual(['free'])
  busy.add('new')
  expect(() => namespaces.get('another')).toThrow('3 namespaces are in use')
})

const create = (name: string): Namespace =>
  newNamespace(name, new Clock({ mode: 'manual', start: 0 }), new Changes())

it('refuses another namespace if all are in use, and says what to do', () => {
  const namespaces = new Namespaces<Namespace>({ create, canRemove: () => true, onRemove: () => {}, max: 2 })
  namespaces.get('default')
  namespaces.get('busy').clock.auto.holds.take('debugger')
  expect(() => namespaces.get('another')).toThrow(
    new NamespacesFull('2 namespaces are in use. Clear the tasks of one, or raise limits.namespaces.'),
  )
  expect([namespaces.has('busy'), namespaces.has('another')]).toEqual([true, false])
})

it('tells of every namespace once, known or new', () => {
  const namespaces = new Namespaces<Namespace>({ create, canRemove: () => true, onRemove: () => {}, max: 2 })
  const made: string[] = []
  const one = namespaces.get('one')
  namespaces.onMade(({ name }) => made.push(name))
  namespaces.get('two')
  expect(namespaces.get('one')).toBe(one)
  expect(made).toEqual(['one', 'two'])
})

it('closes the clock of a namespace that is removed or replaced', async () => {
  const gone: string[] = []
  const namespaces = new Namespaces<Namespace>({
    create,
    canRemove: () => true,
    onRemove: ({ name }) => gone.push(name),
    max: 9,
  })
  const waiting = ['one', 'two'].map((name) => namespaces.get(name).clock.wait(1_000))
  const other = create('two')
  namespaces.put(other)
  namespaces.put(create('three'))
  namespaces.remove('one')
  namespaces.remove('none')
  for (const wait of waiting) await expect(wait).rejects.toThrow('The clock was closed')
  expect([gone, namespaces.all().map(({ name }) => name)]).toEqual([['one'], ['two', 'three']])
  expect(namespaces.get('two')).toBe(other)
})

it('records each change of the counters of a namespace', () => {
  const changes = new Changes()
  changes.begin()
  const { attempts, acceptances, beganAt, shardTag } = newNamespace(
    'mine',
    new Clock({ mode: 'manual', start: 5_000 }),
    changes,
  )
  attempts.next('a')
  acceptances.next('b')
  expect(changes.list()).toEqual([
    ['attempt', 'mine', 'a'],
    ['acceptance', 'mine', 'b'],
  ])
  expect([beganAt, shardTag]).toEqual([5_000, ''])
})

it.each([
  ['a', true],
  ['A-z_09', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['a b', false],
  ['a.b', false],
])('takes %j for the name of a namespace: %s', (name, isName) => {
  expect(namespaceName.test(name)).toBe(isName)
})

it('quotes at most 64 characters of an invalid name', () => {
  expect(invalidNamespace('the path', `${'x'.repeat(64)}y`)).toBe(
    `the path names the namespace "${'x'.repeat(64)}", but a namespace is 1 to 64 letters, digits, "-" or "_"`,
  )
})

it('counts the idle time of a namespace from its latest creation', () => {
  let elapsedMs = 0
  const namespaces = new Namespaces<Namespace>({
    create,
    canRemove: () => true,
    onRemove: () => {},
    max: 9,
    idle: { afterMs: 160, activity: () => 0, elapsedMs: () => elapsedMs },
  })
  const at = (instant: number, name: string): void => {
    elapsedMs = instant
    namespaces.get(name)
  }
  at(0, 'one')
  at(10, 'two')
  namespaces.remove('one')
  at(165, 'one')
  at(176, 'three')
  expect([namespaces.has('one'), namespaces.has('two')]).toEqual([true, true])
  at(335, 'four')
  expect([namespaces.has('one'), namespaces.has('two')]).toEqual([true, false])
  at(346, 'five')
  expect(namespaces.has('one')).toBe(false)
})
