import { expect, it } from 'vitest'
import { Activity } from '../../src/engine/clock/activity.ts'

it('is idle when the last piece of work has ended', async () => {
  const activity = new Activity()
  activity.begin()
  activity.begin()
  let isIdle = false
  const idle = activity.idle(() => undefined).then(() => (isIdle = true))
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  activity.end()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect([activity.open, activity.started, isIdle]).toEqual([1, 2, false])
  activity.end()
  await idle
  expect([activity.open, isIdle]).toEqual([0, true])
})

it('counts a promise until it settles, also one that fails', async () => {
  const activity = new Activity()
  const work = activity.track(Promise.resolve('done'))
  const failure = activity.track(Promise.reject(new Error('no')))
  expect(activity.open).toBe(2)
  expect(await work).toBe('done')
  await expect(failure).rejects.toThrow('no')
  expect(activity.open).toBe(0)
  await activity.idle(() => undefined)
})
