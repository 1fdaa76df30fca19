import { latestInstant } from '../../src/engine/clock/clock-settings.ts'
import { expect, it } from 'vitest'
import { EventLog, type SimulatorEvent } from '../../src/engine/tasks/events.ts'
import { planTask } from '../../src/engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../src/engine/tasks/plan.ts'
import { TaskStore, TransitionError } from '../../src/engine/tasks/tasks.ts'
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
