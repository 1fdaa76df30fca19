import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const submit = async (prompt = 'a red kite [[queued 10s]] [[render 30s]]') => {
  const sim = createSimulator({ clock: 'manual' })
  const response = await sim.fetch('http://gateway/v1/video/generations', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt }),
  })
  const { task_id: id } = (await response.json()) as { task_id: string }
  const { tasks } = sim.core.control
  return { sim, id, tasks, start: tasks.get('default', id).submittedAt }
}

it('ends a task earlier, later, and never, as often as it is changed', async () => {
  const { sim, id, tasks, start } = await submit()
  await sim.clock.advance('15s')
  tasks.endAt('default', id, { status: 'SUCCESS', afterMs: 5_000 })
  expect(tasks.get('default', id).timeline.at(-1)).toMatchObject({ status: 'SUCCESS', from: start + 20_000 })
  tasks.endAt('default', id, { status: 'SUCCESS', at: null })
  expect(tasks.get('default', id).timeline.at(-1)!.status).toBe('IN_PROGRESS')
  tasks.endAt('default', id, { status: 'FAILURE', at: start + 60_000, reason: 'no kites' })
  await sim.clock.advance('44s')
  expect(tasks.get('default', id)).toMatchObject({ status: 'IN_PROGRESS' })
  await sim.clock.advance('1s')
  expect(tasks.get('default', id)).toMatchObject({ status: 'FAILURE', reason: 'no kites' })
  expect(() => tasks.endAt('default', id, { status: 'SUCCESS', afterMs: 1 })).toThrow(
    'it has ended as FAILURE',
  )
})

it('passes the states before an early end, and refuses a state that ends nothing', async () => {
  const { sim, id, tasks } = await submit()
  expect(() => tasks.endAt('default', id, { status: 'queued', afterMs: 1 })).toThrow(
    'Use one of SUCCESS, FAILURE',
  )
  tasks.endAt('default', id, { status: 'FAILURE', afterMs: 2_000, reason: 'early' })
  await sim.clock.advance('3s')
  const statuses = tasks.get('default', id).timeline.map(({ status }) => status)
  expect(statuses).toEqual(['queued', 'IN_PROGRESS', 'FAILURE'])
})

it('lets a transition end a task at once after its end was changed', async () => {
  const { sim, id, tasks } = await submit()
  tasks.endAt('default', id, { status: 'SUCCESS', afterMs: 90_000 })
  await sim.clock.advance('20s')
  sim.transition(id, { status: 'FAILURE', reason: 'now' })
  expect(tasks.get('default', id)).toMatchObject({ status: 'FAILURE', reason: 'now' })
})

it('never lets progress fall, nor a state return, however often the end is changed', async () => {
  const change = fc.record({
    waitMs: fc.integer({ min: 0, max: 20_000 }),
    afterMs: fc.option(fc.integer({ min: 1, max: 90_000 })),
    isFailure: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const { sim, id, tasks, start } = await submit()
      const order = ['queued', 'IN_PROGRESS', 'SUCCESS', 'FAILURE']
      let before = tasks.get('default', id)
      const check = (): void => {
        const present = tasks.get('default', id)
        if (present.status !== 'FAILURE') expect(present.progress).toBeGreaterThanOrEqual(before.progress)
        expect(order.indexOf(present.status)).toBeGreaterThanOrEqual(order.indexOf(before.status))
        expect(present.timeline[0]).toEqual({ status: 'queued', phase: 'waiting', from: start })
        before = present
      }
      for (const { waitMs, afterMs, isFailure } of changes) {
        await sim.clock.advance(waitMs)
        check()
        if (before.finishedAt !== 0) return
        const end = afterMs === null ? { at: null } : { afterMs }
        tasks.endAt('default', id, { status: isFailure ? 'FAILURE' : 'SUCCESS', ...end })
        check()
      }
    }),
    { numRuns: 60 },
  )
})

it('stores the changed end with the state', async () => {
  const { sim, id, tasks, start } = await submit()
  tasks.endAt('default', id, { status: 'FAILURE', at: start + 25_000, reason: 'stored' })
  const other = createSimulator({ clock: 'manual' })
  other.restore(JSON.parse(JSON.stringify(sim.snapshot())))
  expect(other.task(id).timeline).toEqual(sim.task(id).timeline)
})

it('takes the change over HTTP, and says what a call should have been', async () => {
  const { sim, id } = await submit()
  const post = async (body: object) => {
    const response = await sim.fetch(`http://x/_greenroom/tasks/${id}/end`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }
  expect(await post({ status: 'FAILURE', in: '5s', reason: 'no kites' })).toMatchObject({ status: 200 })
  expect(await post({ status: 'SUCCESS', at: null })).toMatchObject({ status: 200 })
  expect(await post({ status: 'SUCCESS' })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('Give one of "in" and "at"') } },
  })
  expect(await post({ status: 'SUCCESS', at: 'soon' })).toMatchObject({ status: 400 })
})
