import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecordForms } from '../../src/engine/tasks/packed-record.ts'
import type { TaskRecord } from '../../src/engine/tasks/plan.ts'
import { Lately, StoredTask } from '../../src/engine/tasks/stored-task.ts'
import { timelineOf } from '../../src/engine/tasks/timeline.ts'
import { videoLifecycle } from '../../src/apis/video/lifecycle.ts'

const recordOf = (number: number): TaskRecord => ({
  id: `task_${number}`,
  row: number,
  namespace: 'default',
  operation: 'video.submit',
  lifecycle: 'video',
  identity: 'identity',
  occurrence: 0,
  submittedAt: 1_000 * number,
  plan: {
    steps: [
      { state: 'queued', lastsMs: 10 + number },
      { state: 'IN_PROGRESS', lastsMs: 20 },
      { state: 'SUCCESS', lastsMs: null },
    ],
  },
  request: { prompt: `kite ${number}` },
})

/** So many tasks that were never looked at, of which few are remembered. */
function stored(count: number, most: number): StoredTask[] {
  const forms = new RecordForms()
  const lately = new Lately(most)
  return Array.from({ length: count }, (_, number) => {
    const record = recordOf(number)
    const { form, own } = forms.pack(record)
    return new StoredTask({ id: record.id, serial: number + 1, lifecycle: videoLifecycle, form, own }, lately)
  })
}

it('derives the same of a task however many others were looked at in between', () => {
  const cancelled = { kind: 'transition', at: 5, state: 'FAILURE', cause: 'control' } as const
  const look = fc.record({ number: fc.nat(119), isCancelled: fc.boolean() })
  fc.assert(
    fc.property(fc.array(look, { maxLength: 400 }), fc.integer({ min: 1, max: 60 }), (looks, most) => {
      const tasks = stored(120, most)
      for (const { number, isCancelled } of looks) {
        if (isCancelled) tasks[number] = tasks[number]!.amended([{ ...cancelled, at: 1_000 * number + 5 }])
        const { record, timeline, amendments } = tasks[number]!
        expect(record).toEqual(recordOf(number))
        expect(timeline).toEqual(timelineOf(recordOf(number), amendments, videoLifecycle))
      }
    }),
    { numRuns: 40 },
  )
})

it('remembers what follows from a task that is looked at again, whoever else is looked at once', () => {
  const tasks = stored(1_000, 200)
  const look = (number: number): object => tasks[number]!.timeline
  look(0)
  for (let number = 1; number < 100; number++) look(number)
  // It was forgotten meanwhile, and comes again.
  const again = look(0)
  for (let number = 100; number < 1_000; number++) look(number)
  expect(look(0)).toBe(again)
})

it('forgets what follows from a task when others come again, and what was shown of it', () => {
  const tasks = stored(10, 2)
  const shown = {}
  tasks[0]!.shown = shown
  expect(tasks[0]!.shown).toBe(shown)
  const many = stored(200, 2)
  const [first] = many as [StoredTask]
  first.shown = shown
  for (const task of many.slice(1)) expect(task.record.row).toBeGreaterThan(0)
  expect(first.shown).toBeUndefined()
  expect(first.record).toEqual(recordOf(0))
})
