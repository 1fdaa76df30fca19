import { expect, it } from 'vitest'
import { Activity } from '../../src/engine/clock/activity.ts'
import { turns } from '../support/turns.ts'

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

it('waits until all requests have ended, and only then for the others', async () => {
  const activity = new Activity()
  activity.begin()
  activity.begin()
  let asks = 0
  let isIdle = false
  const others = (): undefined => void asks++
  const idle = activity.idle(others).then(() => (isIdle = true))
  await turns()
  activity.end()
  await turns()
  expect([activity.open, activity.started, asks, isIdle]).toEqual([1, 2, 0, false])
  activity.end()
  await idle
  expect([activity.open, asks]).toEqual([0, 1])
})
