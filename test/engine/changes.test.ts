import { expect, it } from 'vitest'
import { Changes } from '../../src/engine/tasks/changes.ts'

it('notes nothing before something is stored', () => {
  const changes = new Changes()
  changes.note('clock', 'default')
  changes.everything()
  expect([changes.isEmpty, changes.list()]).toEqual([true, []])
})

it('lists each changed value once, the earliest first, until it is stored', () => {
  const changes = new Changes()
  changes.begin()
  expect(changes.isEmpty).toBe(true)
  changes.note('clock', 'default')
  changes.note('task', 'default', 'task_1')
  changes.note('clock', 'default')
  expect(changes.isEmpty).toBe(false)
  expect(changes.list()).toEqual([
    ['clock', 'default'],
    ['task', 'default', 'task_1'],
  ])
  changes.markStored()
  expect([changes.isEmpty, changes.list()]).toEqual([true, []])
})

it('has no list when anything may have changed', () => {
  const changes = new Changes()
  changes.begin()
  changes.note('clock', 'default')
  changes.everything()
  expect([changes.isEmpty, changes.list()]).toEqual([false, undefined])
  changes.markStored()
  expect([changes.isEmpty, changes.list()]).toEqual([true, []])
})

it('tells a watch what changed since it was last read, until it ends', () => {
  const changes = new Changes()
  const watch = changes.watch()
  changes.note('variable', 'default', 'mood')
  expect(watch.take()).toEqual([['variable', 'default', 'mood']])
  expect(watch.take()).toEqual([])
  expect(watch.isOver).toBe(false)
  watch.end()
  changes.note('clock', 'default')
  expect(watch.take()).toEqual([])
})

it('lets a watch start over when a namespace is cleared, or anything may have changed', () => {
  const changes = new Changes()
  const [one, other] = [changes.watch(), changes.watch()]
  one.end()
  changes.note('cleared', 'default')
  expect([one.isOver, other.isOver]).toEqual([false, true])
  const third = changes.watch()
  changes.everything()
  expect(third.isOver).toBe(true)
})

it('tells two changes apart whose names only join to the same text', () => {
  const changes = new Changes()
  changes.begin()
  changes.note('task', 'a', 'b')
  changes.note('task', 'a","b', '')
  changes.note('clock', 'a')
  changes.begin()
  expect(changes.list()).toHaveLength(3)
})
