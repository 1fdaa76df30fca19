import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { RecordForms, unpack } from '../../src/engine/tasks/packed-record.ts'
import type { RequestField, TaskRecord } from '../../src/engine/tasks/plan.ts'
import { TaskStore } from '../../src/engine/tasks/tasks.ts'
import { TaskIndex } from '../../src/engine/tasks/task-index.ts'
import { videoLifecycle } from '../../src/apis/video/lifecycle.ts'

const record = (own: Partial<TaskRecord> = {}): TaskRecord => ({
  id: 'task_1',
  row: 12,
  namespace: 'default',
  operation: 'video.submit',
  lifecycle: 'video',
  identity: '0123456789abcdef0123456789abcdef',
  occurrence: 0,
  submittedAt: 1_893_456_000_000,
  plan: {
    steps: [
      { state: 'queued', lastsMs: 1234 },
      { state: 'SUCCESS', lastsMs: null },
    ],
  },
  request: { model: 'video-1', prompt: 'a kite', seconds: 5 },
  ...own,
})

const anyField = fc.letrec<{ field: RequestField }>((tie) => ({
  field: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('#', '[', '{', '}', ',', '"', 'a:1,'),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('field') as fc.Arbitrary<RequestField>, { maxLength: 4 }),
    fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie('field') as fc.Arbitrary<RequestField>, {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).field

it('unpacks what it packed, whatever a request held and whatever was packed before', () => {
  const forms = new RecordForms()
  const requests = fc.dictionary(fc.constantFrom('model', 'prompt', 'edits', 'id', '7'), anyField, {
    noNullPrototype: true,
  })
  const check = (request: TaskRecord['request'], submittedAt: number): void => {
    const whole = record({ request, submittedAt })
    const { form, own } = forms.pack(whole)
    expect(unpack(whole.id, form, own)).toEqual(whole)
  }
  fc.assert(fc.property(requests, fc.nat(4e12), check), { numRuns: 500 })
})

it('shares the form of records that differ in what is their own', () => {
  const forms = new RecordForms()
  const one = forms.pack(record())
  const request = { model: 'video-1', prompt: 'ein Drache', seconds: 5 }
  const other = forms.pack(record({ id: 'task_2', row: 99, occurrence: 3, request }))
  expect(other.form).toBe(one.form)
  expect(other.own).toBe('[99,"0123456789abcdef0123456789abcdef",3,1893456000000,1234,"ein Drache"]')
})

it('tells two tasks of one id from each other, and keeps their order', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const [one, two] = [record({ id: 'one' }), record({ id: 'two' })].map((each) => tasks.submit(each))
  tasks.clear('default', 0)
  const again = [record({ id: 'two' }), record({ id: 'one' })].map((each) => tasks.submit(each))
  expect(tasks.list('default')).toEqual(again)
  expect(new Set([one, two, ...again].map((task) => task!.serial)).size).toBe(4)
})

it('lists tasks in the order in which they came, whichever went meanwhile', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(300)), { maxLength: 600 })
  fc.assert(
    fc.property(steps, (changes) => {
      const ids = new TaskIndex()
      let expected: string[] = []
      for (const [adds, number] of changes) {
        const id = String(number)
        const isThere = expected.includes(id)
        if (adds && !isThere) {
          ids.add(id)
          expected.push(id)
        } else if (!adds && isThere) {
          ids.remove(id)
          expected = expected.filter((each) => each !== id)
        }
      }
      expect([...ids]).toEqual(expected)
      expect(ids.size).toBe(expected.length)
      for (const most of [0, 1, 7, Infinity]) {
        expect(ids.latest(most)).toEqual(expected.slice(Math.max(0, expected.length - most)))
      }
    }),
  )
})
