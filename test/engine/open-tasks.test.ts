import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { reaches } from '../../src/engine/tasks/timeline.ts'
import { OpenTasks } from '../../src/engine/tasks/open-tasks.ts'
import { planTask } from '../../src/engine/tasks/plan-task.ts'
import { hashApiKey } from '../../src/engine/random/hash.ts'
import { TaskStore, type Task } from '../../src/engine/tasks/tasks.ts'
import { Workers } from '../../src/engine/tasks/workers.ts'
import { drawingLifecycle, videoLifecycle } from '../support/lifecycles.ts'

const lifecycles = { video: videoLifecycle, drawing: drawingLifecycle }

/** Tasks on a clock of their own, with who watches them; time only moves forward. */
function engine(workers: readonly number[] = []) {
  const events = new EventLog()
  const tasks = new TaskStore(Object.values(lifecycles), events)
  const open = new OpenTasks(tasks, events)
  const at = { now: 0 }
  for (const [index, each] of workers.entries()) {
    const name = index === 0 ? 'video' : 'drawing'
    const force = { workers: each, concerns: ({ lifecycle }: Task) => lifecycle.name === name }
    new Workers({ tasks, open, events, namespaces: { get: () => ({ clock: { now: () => at.now } }) } }, force)
  }
  let made = 0
  const submit = ({ queuedMs, renderMs, key = 'sk-a', asks = false }: Made): Task => {
    const id = `task-${++made}`
    const lifecycle = asks ? drawingLifecycle : videoLifecycle
    const plan = asks
      ? {
          steps: [
            { state: 'MODAL', lastsMs: 40, awaits: 'mj.modal', expires: 'FAILURE' },
            { state: 'SUBMITTED', lastsMs: queuedMs },
            { state: 'IN_PROGRESS', lastsMs: renderMs },
            { state: 'SUCCESS', lastsMs: null },
          ],
        }
      : planTask(lifecycle, { queued: queuedMs, render: renderMs ?? 'forever' }, () => 0.5)
    const task = tasks.submit({
      id,
      row: made,
      namespace: 'default',
      operation: asks ? 'mj.action' : 'video.submit',
      lifecycle: lifecycle.name,
      identity: id,
      occurrence: 0,
      submittedAt: at.now,
      plan,
      request: {},
    })
    tasks.find(id)!.key ??= key
    return task
  }
  return { events, tasks, open, at, submit }
}

interface Made {
  readonly queuedMs: number
  readonly renderMs: number | null
  readonly key?: string
  readonly asks?: boolean
}

const aTask = fc.record({
  queuedMs: fc.nat({ max: 30 }),
  renderMs: fc.option(fc.nat({ max: 50 }), { freq: 6 }),
  key: fc.constantFrom('sk-a', 'sk-b'),
  asks: fc.boolean(),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), task: aTask }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), byMs: fc.nat({ max: 30 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('fail' as const, 'confirm' as const, 'remove' as const),
      which: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear' as const, 'restore' as const) }) },
)

function take(done: typeof step extends fc.Arbitrary<infer T> ? T : never, on: ReturnType<typeof engine>) {
  const { tasks, at, open } = on
  const list = tasks.list('default')
  if (done.do === 'submit') on.submit(done.task)
  else if (done.do === 'move') at.now += done.byMs
  else if (done.do === 'clear') tasks.clear('default', at.now)
  else if (done.do === 'restore') {
    // As when a state is restored: there is no event.
    const last = list.at(-1)
    if (last) tasks.apply({ type: 'task.removed', at: at.now, namespace: 'default', id: last.id })
    open.forget()
  } else if (list.length > 0 && 'which' in done) {
    const task = list[done.which % list.length]!
    if (done.do === 'remove') tasks.remove(task, at.now)
    else if (done.do === 'confirm') tasks.confirm(task, { at: at.now, operation: 'mj.modal' })
    else if (!tasks.view(task, at.now).final) {
      tasks.transition(task, { at: at.now, state: 'FAILURE', cause: 'control' })
    }
  }
}

it('knows at any time which tasks are open, their keys, and whether a client is expected', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const on = engine()
      const { tasks, open, at } = on
      for (const each of steps) {
        take(each, on)
        const wanted = tasks.list('default').filter((task) => !tasks.view(task, at.now).final)
        expect(open.list('default', at.now)).toEqual(wanted)
        expect(open.count('default', at.now)).toBe(wanted.length)
        for (const key of ['sk-a', 'sk-b']) {
          const theirs = wanted.filter((task) => hashApiKey(task.key ?? '') === hashApiKey(key))
          expect(open.count('default', at.now, key)).toBe(theirs.length)
        }
        const expected = wanted.some((task) => tasks.view(task, at.now).state === 'MODAL')
        expect(open.isClientExpected('default', at.now)).toBe(expected)
      }
    }),
    { numRuns: 200 },
  )
})

it('knows the next step of any task at any time, with workers that put others off', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 40 }), (hasWorkers, steps) => {
      const on = engine(hasWorkers ? [1, 1] : [])
      const { tasks, open, at } = on
      for (const each of steps) {
        take(each, on)
        const future = tasks
          .list('default')
          .flatMap(({ timeline }) => timeline.spans.map(({ from }) => from).filter((from) => from > at.now))
        const expected = future.length === 0 ? null : Math.min(...future)
        expect(open.nextStep('default', at.now)).toBe(expected)
      }
    }),
    { numRuns: 200 },
  )
})

it('puts a new task where sorting the whole queue would', () => {
  const workers = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 })
  fc.assert(
    fc.property(workers, fc.array(step, { maxLength: 40 }), (forces, steps) => {
      const on = engine(forces)
      let amended = 0
      on.events.subscribe(({ type }) => (amended += type === 'task.amended' ? 1 : 0))
      for (const each of steps) {
        take(each, on)
        if (each.do !== 'submit') continue
        const before = amended
        const amendment = { kind: 'begin', at: on.at.now, begins: 0 } as const
        // Every change sorts the queue; each task must be in place already.
        on.events.append({
          type: 'task.amended',
          at: on.at.now,
          namespace: 'default',
          id: 'unknown',
          amendment,
        })
        expect(amended).toBe(before + 1)
      }
    }),
    { numRuns: 300 },
  )
})

it('lets a queued task begin earlier when the one in front of it fails, but not before it is ready', () => {
  const on = engine([1])
  const first = on.submit({ queuedMs: 0, renderMs: 100 })
  const { id } = on.submit({ queuedMs: 30, renderMs: 50 })
  const begin = (): number | null => reaches(on.tasks.find(id)!.timeline, 'IN_PROGRESS')
  expect(begin()).toBe(100)
  on.at.now = 20
  on.tasks.transition(first, { at: 20, state: 'FAILURE', cause: 'control' })
  expect(begin()).toBe(30)
})

it('looks at each new task a few times, however many there are', () => {
  const looksOf = (count: number): number => {
    const on = engine([2])
    const views = vi.spyOn(on.tasks, 'view')
    const finds = vi.spyOn(on.tasks, 'find')
    const lists = vi.spyOn(on.tasks, 'list')
    for (let n = 0; n < count; n++) {
      on.submit({ queuedMs: 5, renderMs: 10 })
      on.open.count('default', on.at.now, 'sk-a')
      on.open.isClientExpected('default', on.at.now)
      if (n % 50 === 0) on.at.now += 100
    }
    expect(lists.mock.calls.length).toBeLessThan(3)
    return views.mock.calls.length + finds.mock.calls.length
  }
  const [few, many] = [looksOf(200), looksOf(800)]
  expect(many).toBeLessThanOrEqual(4.1 * few)
})
