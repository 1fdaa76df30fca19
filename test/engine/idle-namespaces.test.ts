import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'
import { Namespaces, newNamespace, type Namespace } from '../../src/engine/namespace.ts'
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
