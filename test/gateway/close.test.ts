import { expect, it } from 'vitest'
import type { Exchange } from '../../src/gateway/exchange.ts'
import { keep } from '../../src/gateway/stages/close.ts'

/** Persists the changes of a request. @returns what is noted, and the status of the response. */
function keepFor(method: string, problem: string | undefined, task?: string) {
  const noted: unknown[] = []
  const x = {
    request: { method },
    namespace: { name: 'mine' },
    task: task === undefined ? undefined : { id: task },
    entry: { requestId: 'id', hint: null },
    reply: { status: 200 },
    core: {
      changes: { note: (...change: unknown[]) => noted.push(change) },
      keeping: { keep: () => problem },
    },
  } as unknown as Exchange
  keep(x)
  return { noted, status: x.reply.status, hint: x.reply.headers?.['X-Greenroom-Hint'], why: x.entry.hint }
}

it('persists the time of a namespace and the polls of a task', () => {
  expect(keepFor('GET', undefined)).toMatchObject({ noted: [['clock', 'mine']], status: 200, why: null })
  expect(keepFor('GET', undefined, 'task_1').noted).toEqual([
    ['clock', 'mine'],
    ['look', 'mine', 'task_1'],
  ])
})

it('refuses a change that can not be persisted, but no read', () => {
  expect(keepFor('POST', 'The disk is full.')).toMatchObject({
    status: 503,
    hint: 'The disk is full.',
    why: 'system disk overloaded',
  })
  expect(keepFor('GET', 'The disk is full.')).toMatchObject({ status: 200, why: null })
  expect(keepFor('POST', undefined).status).toBe(200)
})
