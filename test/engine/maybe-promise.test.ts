import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { isPromise, mapMaybePromise, type MaybePromise } from '../../src/engine/maybe-promise.ts'

const foreign = runInNewContext('Promise.resolve(2)') as Promise<number>

it('takes a promise of another realm for a promise, as Jest has two of them', async () => {
  expect(foreign).not.toBeInstanceOf(Promise)
  expect(isPromise(foreign)).toBe(true)
  expect(await mapMaybePromise(foreign, (value) => value + 1)).toBe(3)
})

it.each([0, '', null, undefined, {}])('takes %j for a value that is there', (value) => {
  expect(isPromise(value as MaybePromise<unknown>)).toBe(false)
  expect(mapMaybePromise(value as MaybePromise<unknown>, () => 'at once')).toBe('at once')
})
