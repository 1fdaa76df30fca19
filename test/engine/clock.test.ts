import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { ClockError, fixedStart, latestInstant } from '../../src/engine/clock/clock-settings.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

const manual = (): Clock => new Clock({ mode: 'manual', start: 0 })

it('stands still in mode manual until it is advanced', async () => {
  const clock = new Clock({ mode: 'manual' })
  expect(clock.now()).toBe(fixedStart)
  await clock.advance(1_500)
  expect(clock.now()).toBe(fixedStart + 1_500)
})

it('wakes sleepers one at a time, each at its own moment', async () => {
  const clock = manual()
  const seen: [string, number][] = []
  const sleeper = async (name: string, durationMs: number): Promise<void> => {
    await clock.sleep(durationMs)
    seen.push([name, clock.now()])
  }
  void sleeper('late', 300)
  void sleeper('early', 100)
  void sleeper('also early', 100)
  expect(await clock.advance(1_000)).toBe(3)
  expect(seen).toEqual([
    ['early', 100],
    ['also early', 100],
    ['late', 300],
  ])
  expect(clock.now()).toBe(1_000)
})

it('wakes a sleeper that fell asleep on the way', async () => {
  const clock = manual()
  const seen: number[] = []
  void (async () => {
    await clock.sleep(100)
    seen.push(clock.now())
    await clock.sleep(50)
    seen.push(clock.now())
  })()
  await clock.advance(1_000)
  expect(seen).toEqual([100, 150])
})

it('adds up concurrent advances', async () => {
  const clock = manual()
  await Promise.all([clock.advance(100), clock.advance(200)])
  expect(clock.now()).toBe(300)
})

it('refuses the past', async () => {
  const clock = manual()
  await clock.advance(5_000)
  await expect(clock.advanceTo(1_000)).rejects.toThrow(
    'Failed to advance the clock: the instant lies 4s in the past. Time only moves forward; now is 1970-01-01T00:00:05.000Z.',
  )
  await expect(clock.advanceTo(NaN)).rejects.toThrow(ClockError)
  expect(clock.now()).toBe(5_000)
})

it('refuses a mode or a rate that cannot be, and stays as it is', () => {
  const clock = manual()
  expect(() => clock.setMode('warp' as 'real')).toThrow('mode is "warp"')
  expect(() => clock.setMode('scaled', 0)).toThrow('rate is 0')
  expect(() => clock.setMode('scaled', NaN)).toThrow('rate is NaN')
  expect(clock.mode).toBe('manual')
})

it('takes a waiter along when its client leaves', async () => {
  const clock = manual()
  const controller = new AbortController()
  const sleeping = clock.sleep(1_000, { signal: controller.signal })
  expect(clock.status()).toMatchObject({ waiters: 1, nextWaiter: 1_000 })
  controller.abort(new Error('gone'))
  await expect(sleeping).rejects.toThrow('gone')
  expect(clock.status()).toMatchObject({ waiters: 0, nextWaiter: null })
})

it('moves by itself in mode auto, from sleeper to sleeper', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const seen: [string, number][] = []
  const client = async (name: string, stepMs: number): Promise<void> => {
    for (let look = 0; look < 3; look++) {
      await clock.sleep(stepMs)
      seen.push([name, clock.now()])
    }
  }
  await Promise.all([client('a', 5_000), client('b', 7_000)])
  expect(seen).toEqual([
    ['a', 5_000],
    ['b', 7_000],
    ['a', 10_000],
    ['b', 14_000],
    ['a', 15_000],
    ['b', 21_000],
  ])
})

it('does not move in mode auto while a request is being read', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const release = clock.auto.whileReading()
  const sleeping = clock.sleep(1_000)
  await turns()
  expect(clock.now()).toBe(0)
  release()
  await sleeping
  expect(clock.now()).toBe(1_000)
})

it('assumes the poll step from the last poll, never from now, until a client sleeps', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 })
  clock.assumePollStep(0)
  expect(clock.now()).toBe(5_000)
  clock.assumePollStep(0)
  expect(clock.now()).toBe(5_000)
  await clock.sleep(1_000)
  clock.assumePollStep(5_000)
  expect(clock.now()).toBe(6_000)
  expect(clock.status().assumesPollStep).toBe(false)
})

it('polls three tasks in turn as three clients would', () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const lastLooks = [0, 0, 0]
  let polls = 0
  while (clock.now() < 180_000) {
    for (const [task, lastLook] of lastLooks.entries()) {
      clock.assumePollStep(lastLook)
      lastLooks[task] = clock.now()
      polls++
    }
  }
  expect(polls).toBe(3 * 36)
})

it('runs at a multiple of the host in mode scaled', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'scaled', rate: 60, start: 0 }, host)
  const sleeping = clock.sleep(60_000)
  host.pass(500)
  expect(clock.now()).toBe(30_000)
  host.pass(500)
  await sleeping
  expect(clock.now()).toBe(60_000)
})

it('keeps the present instant when its mode changes', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'real', start: 0 }, host)
  host.pass(1_234)
  clock.setMode('manual')
  host.pass(5_000)
  expect(clock.now()).toBe(1_234)
  clock.setMode('scaled', 10)
  host.pass(100)
  expect(clock.now()).toBe(2_234)
})

it('jumps in mode real too, waking whom it passes', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'real', start: 0 }, host)
  const sleeping = clock.sleep(60_000)
  const moved = clock.advance(120_000)
  await turns()
  expect(await moved).toBe(1)
  await sleeping
  host.pass(1_000)
  expect(clock.now()).toBe(121_000)
})

it('starts real time at a whole second of the wall clock', () => {
  const clock = new Clock({ mode: 'real' }, fakeHost(1_234_567))
  expect(clock.now()).toBe(1_234_000)
})

it('never goes back, whatever is done to it', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: -1_000, max: 5_000 }) }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 100_000 }) }),
    fc.record({
      do: fc.constant('mode' as const),
      mode: fc.constantFrom('real', 'scaled', 'manual', 'auto'),
    }),
    fc.record({ do: fc.constant('poll' as const), ms: fc.nat({ max: 100_000 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const host = fakeHost()
      const clock = new Clock({ mode: 'manual', start: 0 }, host)
      let last = clock.now()
      for (const action of steps) {
        if (action.do === 'pass') host.pass(action.ms)
        if (action.do === 'advance') await clock.advance(action.ms)
        if (action.do === 'mode')
          clock.setMode(action.mode as 'real', action.mode === 'scaled' ? 7 : undefined)
        if (action.do === 'poll') clock.assumePollStep(action.ms)
        expect(clock.now()).toBeGreaterThanOrEqual(last)
        expect(Number.isInteger(clock.now())).toBe(true)
        last = clock.now()
      }
      clock.close()
    }),
    { numRuns: 60 },
  )
})

it('waits for a woken client before it moves on to the next sleeper', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const seen: [string, number][] = []
  const client = async (as: string, stepMs: number, looks: number): Promise<void> => {
    for (let look = 0; look < looks; look++) {
      await clock.sleep(stepMs, { as })
      // Real work between two sleeps: time must not move meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 3))
      seen.push([as, clock.now()])
    }
  }
  await Promise.all([client('a', 5_000, 2), client('b', 7_000, 3)])
  expect(seen).toEqual([
    ['a', 5_000],
    ['b', 7_000],
    ['a', 10_000],
    ['b', 14_000],
    ['b', 21_000],
  ])
})

it('does not take a new client for one that returned', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  await clock.sleep(5_000)
  const newClient = clock.sleep(7_000)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(clock.now()).toBe(5_000)
  await newClient
  expect(clock.now()).toBe(12_000)
})

it('never ends a wait that lasts forever', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const leaving = new AbortController()
  const waiting = clock.wait(Infinity, leaving.signal)
  await clock.sleep(1_000)
  expect(clock.status()).toMatchObject({ now: 1_000, nextWaiter: null, waiters: 1 })
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})

it('ends an advance when the mode changes to one in which time passes by itself', async () => {
  const clock = new Clock({ mode: 'manual', start: Date.UTC(2020) })
  const advanced = clock.advance(3_600_000)
  clock.setMode('host')
  await expect(advanced).rejects.toThrow('host')
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  clock.close()
})

it('refuses what lies beyond the year 9999, and goes on', async () => {
  const clock = manual()
  await expect(clock.advanceTo(1e300)).rejects.toThrow('time ends at 9999-12-31T23:59:59Z')
  await clock.advanceTo(latestInstant)
  await expect(clock.advance(1)).rejects.toThrow(ClockError)
  expect(clock.status().time).toBe('9999-12-31T23:59:59.000Z')
})

it('advances by nothing in fast real time', async () => {
  const clock = new Clock({ mode: 'scaled', rate: 100_000 })
  for (let count = 0; count < 5; count++) await clock.advance(0)
  clock.close()
})

it('stays where an advance by hand leaves it, in mode auto too', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const release = clock.auto.whileReading()
  const sleeping = clock.sleep(3_600_000)
  const advanced = clock.advance(10_000).then(() => clock.now())
  release()
  expect(await advanced).toBe(10_000)
  await sleeping
  expect(clock.now()).toBe(3_600_000)
})

it('keeps its rate when it is set to scaled again', () => {
  const clock = new Clock({ mode: 'scaled', rate: 60 })
  clock.setMode('scaled')
  expect(clock.status().rate).toBe(60)
  clock.close()
})

it('knows by which clock the waits of its clients show', async () => {
  const timingOf = (mode: 'real' | 'host' | 'manual'): string => new Clock({ mode }).timing
  expect([timingOf('real'), timingOf('host'), timingOf('manual')]).toEqual(['wall', 'wall', 'assumed'])
  vi.useFakeTimers()
  expect(timingOf('host')).toBe('exact')
  vi.useRealTimers()
  const clock = new Clock({ mode: 'auto', start: 0 })
  expect(clock.timing).toBe('assumed')
  await clock.sleep(1_000)
  expect(clock.timing).toBe('virtual')
  expect(new Clock({ mode: 'auto', participants: 2 }).timing).toBe('virtual')
})

it('continues when a test fakes the timers', async () => {
  vi.useFakeTimers()
  try {
    const clock = new Clock({ mode: 'auto', start: 0 })
    await clock.sleep(10_000)
    expect(clock.now()).toBe(10_000)
  } finally {
    vi.useRealTimers()
  }
})

it('lets everybody go when it is closed', async () => {
  const clock = manual()
  const sleeping = clock.sleep(1_000)
  clock.close()
  await sleeping
})

it('is in use while something waits, holds, takes part or is being read', () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  expect(clock.inUse).toBe(false)
  const leaving = new AbortController()
  clock.wait(Infinity, leaving.signal).catch(() => {})
  expect(clock.inUse).toBe(true)
  leaving.abort()
  expect(clock.inUse).toBe(false)
  const release = clock.auto.whileReading()
  expect(clock.inUse).toBe(true)
  release()
  const { id } = clock.auto.holds.take('debugger')
  expect(clock.inUse).toBe(true)
  clock.auto.holds.release(id)
  expect(clock.inUse).toBe(false)
  clock.auto.participants.join('worker-a')
  expect(clock.inUse).toBe(true)
})
