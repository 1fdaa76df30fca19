import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

it('does not move by itself while it is held, and says who holds it', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const { id } = clock.auto.holds.take('debugger')
  const sleeping = clock.sleep(5_000)
  await turns()
  expect(clock.now()).toBe(0)
  expect(clock.status().why).toBe('auto: held by debugger (hold_1, for another 30.0 s)')
  expect(clock.auto.holds.release(id)).toBe(true)
  expect(await sleeping).toBe(5_000)
  expect(clock.auto.holds.release(id)).toBe(false)
})

it('lets a hold run out by the host, unless it is renewed', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  const { id } = clock.auto.holds.take('a worker that died')
  void clock.sleep(5_000)
  host.pass(29_000)
  expect(clock.auto.holds.renew(id)).toEqual({ id, name: 'a worker that died', expiresInMs: 30_000 })
  host.pass(29_999)
  await turns()
  expect(clock.now()).toBe(0)
  host.pass(1)
  await turns()
  expect(clock.now()).toBe(5_000)
  expect(clock.auto.holds.renew(id)).toBeUndefined()
})

it('waits for the last of several holds', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const holds = ['a', 'b'].map((name) => clock.auto.holds.take(name))
  void clock.sleep(5_000)
  clock.auto.holds.release(holds[0]!.id)
  await turns()
  expect(clock.now()).toBe(0)
  clock.auto.holds.release(holds[1]!.id)
  await turns()
  expect(clock.now()).toBe(5_000)
})

it('assumes no poll step while it is held, and advances by hand all the same', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  clock.auto.holds.take('debugger')
  expect(clock.assumePollStep(0)).toBe(true)
  expect(clock.now()).toBe(0)
  await clock.advance(1_000)
  expect(clock.now()).toBe(1_000)
})

it('bounds holds in time and number', () => {
  const { holds } = new Clock({ mode: 'auto', start: 0 }, fakeHost()).auto
  expect(() => holds.take('too long', 3_600_001)).toThrow('a hold lasts up to an hour, not 3600001 ms')
  expect(() => holds.take('too short', 0)).toThrow('not 0 ms')
  for (let count = 0; count < 100; count++) holds.take('one of many')
  expect(() => holds.take('one too many')).toThrow('100 holds are held already')
})

it('lets holds go where time passes anyway', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  clock.auto.holds.take('debugger')
  clock.setMode('real')
  expect(clock.status().holds).toEqual([])
})

it('moves so far by itself and no further, and says so once', async () => {
  const reported: string[] = []
  const clock = new Clock({
    mode: 'auto',
    start: 0,
    limitMs: 60_000,
    onStuck: ({ outcome, why }) => reported.push(`${outcome}: ${why}`),
  })
  await clock.sleep(50_000)
  void clock.sleep(20_000, { as: 'worker-a' })
  const leaving = new AbortController()
  const other = clock.sleep(15_000, { signal: leaving.signal })
  await expect.poll(() => reported).toHaveLength(1)
  expect(clock.now()).toBe(50_000)
  expect(reported).toEqual([
    'limit: auto: the limit is reached: time moves 1m by itself at most, and a client without a name waits until ' +
      '00:01:05. Raise clock.limit, or advance by hand',
  ])
  expect(clock.status().stuck).toMatchObject({ outcome: 'limit', waiting: expect.any(Array) })
  leaving.abort(new Error('gone'))
  await expect(other).rejects.toThrow('gone')
  await clock.advance(20_000)
  expect(clock.now()).toBe(70_000)
  expect(clock.status().stuck).toBeNull()
})

it('stands still for polls too where the limit is reached, until its clients are forgotten', async () => {
  const reported: string[] = []
  const clock = new Clock({
    mode: 'auto',
    start: 0,
    pollStepMs: 5_000,
    limitMs: 12_000,
    onStuck: ({ outcome }) => reported.push(outcome),
  })
  for (let poll = 0; poll < 6; poll++) expect(clock.assumePollStep(clock.now())).toBe(true)
  expect(clock.now()).toBe(10_000)
  expect(reported).toEqual(['limit'])
  // A request that is not a poll changes nothing.
  clock.auto.whileReading()()
  await turns()
  expect(clock.status()).toMatchObject({
    why: expect.stringContaining('a poll would move it further'),
    limitLeftMs: 2_000,
    stuck: { outcome: 'limit' },
  })
  clock.forgetClients()
  clock.assumePollStep(10_000)
  expect(clock.now()).toBe(15_000)
})

it('moves on at once when it forgets a client that it expected back', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  void clock.wait(9_000)
  await clock.sleep(5_000, { as: 'worker-a' })
  await turns()
  expect([clock.now(), clock.status().why]).toEqual([
    5_000,
    'auto: waiting for worker-a to come back after waking',
  ])
  clock.forgetClients()
  await turns()
  expect(clock.now()).toBe(9_000)
})

it('keeps its holds in a mode without time of its own, and ends them where time passes', () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  clock.auto.holds.take('debugger')
  clock.setMode('manual')
  clock.setMode('auto')
  expect(clock.status().holds).toMatchObject([{ name: 'debugger' }])
  clock.setMode('real')
  expect(clock.status().holds).toEqual([])
})

it('lists all holds, each with its end', () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  clock.auto.holds.take('debugger')
  clock.auto.holds.take('worker-a', 3_600_000)
  host.pass(1_250)
  expect(clock.status()).toMatchObject({
    why: 'auto: held by debugger (hold_1, for another 28.8 s), worker-a (hold_2, for another 3598.8 s)',
    holds: [
      { id: 'hold_1', name: 'debugger', expiresInMs: 28_750 },
      { id: 'hold_2', name: 'worker-a', expiresInMs: 3_598_750 },
    ],
  })
})

it('bounds a renewal as it bounds a hold', () => {
  const host = fakeHost()
  const { holds } = new Clock({ mode: 'auto', start: 0 }, host).auto
  const { id } = holds.take('debugger')
  expect(() => holds.renew(id, 3_600_001)).toThrow(
    'Failed to hold the clock: a hold lasts up to an hour, not 3600001 ms. Take a shorter one, and renew it.',
  )
  expect(() => holds.renew(id, 0)).toThrow('not 0 ms')
  expect(holds.renew(id, 3_600_000)?.expiresInMs).toBe(3_600_000)
  expect(holds.renew('hold_9')).toBeUndefined()
  host.pass(3_600_000)
  expect(holds.list()).toEqual([])
})
