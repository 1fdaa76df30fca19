import { latestInstant } from '../../src/engine/clock/clock-settings.ts'
import { expect, it } from 'vitest'
import { EventLog, type SimulatorEvent } from '../../src/engine/tasks/events.ts'
import { planTask } from '../../src/engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../src/engine/tasks/plan.ts'
import { requestOf, TaskStore, TransitionError } from '../../src/engine/tasks/tasks.ts'
import { hashApiKey } from '../../src/engine/random/hash.ts'
import { videoLifecycle } from '../support/lifecycles.ts'

const record = (id: string, namespace = 'default'): TaskRecord => ({
  id,
  row: 1,
  namespace,
  operation: 'video.submit',
  lifecycle: 'video',
  identity: 'identity',
  occurrence: 0,
  submittedAt: 0,
  plan: planTask(videoLifecycle, { queued: '10s', render: '20s' }, () => 0.5),
  request: { prompt: 'a kite' },
})

it('derives a task from its record, and looking changes nothing', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  const before = JSON.stringify(task.record)
  expect([0, 10_000, 30_000].map((now) => tasks.view(task, now).state)).toEqual([
    'queued',
    'IN_PROGRESS',
    'SUCCESS',
  ])
  expect(tasks.view(task, 0).state).toBe('queued')
  expect(JSON.stringify(task.record)).toBe(before)
})

it('refuses to change a record that has ended, to go back, and to go nowhere', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  const move = (at: number, state: string): void => tasks.transition(task, { at, state, cause: 'control' })
  expect(() => move(30_000, 'FAILURE')).toThrow('it has ended as SUCCESS')
  expect(() => move(15_000, 'queued')).toThrow(`it can't be reached from IN_PROGRESS`)
  expect(() => move(15_000, 'IN_PROGRESS')).toThrow('it is IN_PROGRESS already')
  expect(() => move(15_000, 'DONE')).toThrow(TransitionError)
})

it('derives the same tasks from its events as it had when they happened', () => {
  const events = new EventLog()
  const log: SimulatorEvent[] = []
  events.subscribe((event) => log.push(event))
  const tasks = new TaskStore([videoLifecycle], events)
  tasks.submit(record('one'))
  tasks.submit(record('two'))
  tasks.submit(record('gone', 'other'))
  tasks.transition(tasks.find('two')!, { at: 5_000, state: 'FAILURE', reason: 'no', cause: 'control' })
  tasks.clear('other', 6_000)

  const replayed = new TaskStore([videoLifecycle], new EventLog())
  for (const event of JSON.parse(JSON.stringify(log)) as SimulatorEvent[]) replayed.apply(event)
  expect(log.map(({ type }) => type)).toEqual([
    'task.submitted',
    'task.submitted',
    'task.submitted',
    'task.amended',
    'tasks.cleared',
  ])
  expect(replayed.list('default')).toEqual(tasks.list('default'))
  expect(replayed.find('gone')).toBeUndefined()
})

it('takes an end after the last year of the clock for none', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  tasks.endAt(task, { at: 5_000, ends: Number.MAX_SAFE_INTEGER, state: 'FAILURE' })
  expect(tasks.view(tasks.find('one')!, latestInstant).state).toBe('IN_PROGRESS')
})

it('changes how a task ends until it has ended, and only to an end that it can reach', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  const end = (at: number, ends: number | null, state: string): void => tasks.endAt(task, { at, ends, state })
  expect(() => end(5_000, 20_000, 'IN_PROGRESS')).toThrow(
    '"IN_PROGRESS" is none. Use one of SUCCESS, FAILURE.',
  )
  end(5_000, 20_000, 'FAILURE')
  expect([19_999, 20_000].map((now) => tasks.view(tasks.find('one')!, now).state)).toEqual([
    'IN_PROGRESS',
    'FAILURE',
  ])
  expect(() => tasks.endAt(tasks.find('one')!, { at: 25_000, ends: null, state: 'SUCCESS' })).toThrow(
    'Failed to change the end of task one: it has ended as FAILURE. Terminal records never change.',
  )
})

it('numbers the tasks of each namespace and kind, and keeps a number that a record has', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const nthOf = (id: string, namespace?: string, more: object = {}): number | undefined =>
    tasks.submit({ ...record(id, namespace), ...more }).record.nth
  expect([nthOf('one'), nthOf('two'), nthOf('three', 'other'), nthOf('two')]).toEqual([1, 2, 1, 2])
  expect([nthOf('four', 'default', { nth: 9 }), nthOf('five'), tasks.nextNth('default', 'video')]).toEqual([
    9, 10, 11,
  ])
  tasks.restoreSubmitted('default', 'video', 5)
  expect([...tasks.submitted('default')]).toEqual([['video', 10]])
  expect([tasks.nextNth('none', 'video'), [...tasks.submitted('none')]]).toEqual([1, []])
  tasks.clear('default', 0)
  expect([nthOf('six'), tasks.count('default'), tasks.count('other'), tasks.count('none')]).toEqual([
    1, 1, 1, 0,
  ])
})

it('says in full why a task can not move or end so', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  const move = (at: number, state: string) => (): void =>
    tasks.transition(task, { at, state, cause: 'control' })
  const end = (at: number, state: string) => (): void => tasks.endAt(task, { at, ends: null, state })
  for (const [change, message] of [
    [
      move(30_000, 'FAILURE'),
      'Failed to move task one to "FAILURE": it has ended as SUCCESS. Terminal records never change.',
    ],
    [move(10_000, 'IN_PROGRESS'), 'Failed to move task one to "IN_PROGRESS": it is IN_PROGRESS already.'],
    [
      move(0, 'DONE'),
      'Failed to move task one to "DONE": no such state. Use one of queued, IN_PROGRESS, SUCCESS, FAILURE.',
    ],
    [
      move(10_000, 'queued'),
      `Failed to move task one to "queued": it can't be reached from IN_PROGRESS. States only move forward.`,
    ],
    [
      end(0, 'queued'),
      'Failed to change the end of task one: "queued" is none. Use one of SUCCESS, FAILURE.',
    ],
    [
      end(30_000, 'SUCCESS'),
      'Failed to change the end of task one: it has ended as SUCCESS. Terminal records never change.',
    ],
  ] as const)
    expect(change).toThrow(new TransitionError(message))
  expect(() => tasks.lifecycle('other')).toThrow('Failed to find a lifecycle: "other" was never defined.')
  expect([tasks.knownLifecycle('other'), [...tasks.lifecycles()]]).toEqual([undefined, [videoLifecycle]])
})

it('removes tasks above a number, and those of an age exactly', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const removed: string[] = []
  tasks.onRemoved(({ id }) => removed.push(id))
  const submit = (id: string, submittedAt: number): unknown => tasks.submit({ ...record(id), submittedAt })
  for (let n = 0; n < 4; n++) submit(`task-${n}`, n * 1_000)
  tasks.expire('default', 9_000, {})
  tasks.expire('none', 9_000, { count: 0 })
  expect(removed).toEqual([])
  tasks.expire('default', 9_000, { count: 3 })
  expect(removed).toEqual(['task-0'])
  tasks.expire('default', 9_000, { ageMs: 8_001 })
  expect(removed).toEqual(['task-0'])
  tasks.expire('default', 9_000, { ageMs: 8_000 })
  expect([removed, tasks.count('default'), tasks.find('task-1')]).toEqual([
    ['task-0', 'task-1'],
    2,
    undefined,
  ])
  submit('task-2', 9_000)
  tasks.expire('default', 9_000, { count: 1 })
  expect(tasks.list('default').map(({ id }) => id)).toEqual(['task-3'])
})

it('knows the owner of a task by its key or by the hash of it', () => {
  const task = new TaskStore([videoLifecycle], new EventLog()).submit(record('one'))
  expect(task.isOwnedBy('')).toBe(false)
  task.key = 'sk-a'
  expect([task.isOwnedBy('sk-a'), task.isOwnedBy('sk-b')]).toEqual([true, false])
  task.key = hashApiKey('sk-a')
  expect([task.isOwnedBy('sk-a'), task.isOwnedBy('sk-b')]).toEqual([true, false])
})

it('keeps what it knows of a task when that is amended, and the fields of a confirmation', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const task = tasks.submit(record('one'))
  Object.assign(task, { key: 'sk-a', requests: 3 })
  tasks.look(task, 5_000)
  expect(requestOf(task)).toBe(task.record.request)
  tasks.confirm(task, { at: 6_000, operation: 'modal', request: { prompt: 'a boat', mode: 'fast' } })
  const amended = tasks.find('one')!
  expect(amended).toMatchObject({
    key: 'sk-a',
    requests: 3,
    pollCount: 1,
    lastLook: 5_000,
    serial: task.serial,
  })
  expect(requestOf(amended)).toEqual({ prompt: 'a boat', mode: 'fast' })
  tasks.begin(amended, { at: 6_000, begins: 20_000 })
  tasks.begin(tasks.find('one')!, { at: 7_000, begins: 15_000 })
  expect(tasks.find('one')!.amendments.map(({ kind, at }) => [kind, at])).toEqual([
    ['confirm', 6_000],
    ['begin', 7_000],
  ])
})
