import { expect, it } from 'vitest'
import type { Task } from '../../src/engine/tasks/tasks.ts'
import { bodyForRecord, subjectOfTask, submittedBody, taskSubject } from '../../src/gateway/matchable.ts'

const taskOf = (record: object, more: object = {}): Task =>
  ({
    record: { id: 'task_1', namespace: 'mine', operation: 'video.submit', submittedAt: 5_000, ...record },
    amendments: [],
    ...more,
  }) as unknown as Task

const request = { model: 'video-1', prompt: 'a kite', size: '1x1' }

it('describes a task to rules by its number, model and prompt', () => {
  expect(taskSubject(taskOf({ request, nth: 3 }))).toEqual({ nth: 3, model: 'video-1', prompt: 'a kite' })
  expect(taskSubject(taskOf({ request: { model: 5, prompt: null } }))).toEqual({})
})

it('knows the whole body of a task only if it was recorded', () => {
  expect(submittedBody(taskOf({ request, body: { a: 1 } }))).toEqual({ a: 1 })
  expect(submittedBody(taskOf({ request }))).toEqual({ model: 'video-1', prompt: 'a kite' })
  expect(submittedBody(taskOf({ request: {} }))).toEqual({})
})

it('truncates the texts of a recorded body, at any depth', () => {
  const longest = 'x'.repeat(10_000)
  const body = { a: `${longest}y`, b: [longest, { c: `${longest}y`, d: null }], e: 5, f: undefined, g: true }
  expect(bodyForRecord(body)).toEqual({
    a: longest,
    b: [longest, { c: longest, d: null }],
    e: 5,
    f: null,
    g: true,
  })
})

it('matches a task as the request that submitted it', () => {
  const subject = subjectOfTask(taskOf({ request, nth: 3 }, { key: 'sk-a' }))
  expect(subject).toEqual({
    operationName: 'video.submit',
    role: 'submit',
    namespaceName: 'mine',
    keyName: 'sk-a',
    accountName: 'sk-a',
    subject: 'task_1',
    attempt: 0,
    now: 5_000,
    elapsedMs: 0,
    body: { model: 'video-1', prompt: 'a kite' },
    header: expect.any(Function),
    query: '',
    model: 'video-1',
    prompt: 'a kite',
    task: { nth: 3, model: 'video-1', prompt: 'a kite' },
  })
  expect([subject.header('x-any'), subjectOfTask(taskOf({ request: {} })).keyName]).toEqual(['', ''])
})
