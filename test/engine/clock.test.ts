import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { checkAdvance, checkInstant, rateOf, startOf, timingOf } from '../../src/engine/clock/clock-modes.ts'
import {
  ClockError,
  fixedStart,
  latestInstant,
  type ClockMode,
  type Timing,
} from '../../src/engine/clock/clock-settings.ts'
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

const setting = 'Failed to set the clock:'

it.each<[ClockMode, number | undefined, string]>([
  ['warp' as 'real', undefined, `${setting} mode is "warp". Use one of real, scaled, manual, auto, host.`],
  ['real', 2, `${setting} a rate goes with mode scaled, not with real. Leave one out.`],
  ['auto', 1, `${setting} a rate goes with mode scaled, not with auto. Leave one out.`],
  ['scaled', 0, `${setting} rate is 0. Use a number above 0 and up to 1000000.`],
  ['scaled', -1, `${setting} rate is -1. Use a number above 0 and up to 1000000.`],
  ['scaled', 1_000_001, `${setting} rate is 1000001. Use a number above 0 and up to 1000000.`],
])('refuses the mode %s with the rate %s', (mode, rate, message) => {
  expect(() => rateOf(mode, rate, 1)).toThrow(new ClockError(message))
})

it.each<[ClockMode, number | undefined, number]>([
  ['scaled', 1_000_000, 1_000_000],
  ['scaled', 0.5, 0.5],
  ['scaled', undefined, 60],
  ['real', undefined, 1],
  ['host', undefined, 1],
  ['manual', undefined, 0],
  ['auto', undefined, 0],
])('runs in the mode %s with the rate %s %i times as fast as the host', (mode, rate, result) => {
  expect(rateOf(mode, rate, 60)).toBe(result)
})

it.each<[ClockMode, number | undefined, number]>([
  ['real', undefined, 1_234_000],
  ['scaled', undefined, 1_234_000],
  ['manual', undefined, fixedStart],
  ['auto', undefined, fixedStart],
  ['real', 5, 5],
  ['auto', 0, 0],
])('starts in the mode %s with the start %s at %i', (mode, start, instant) => {
  expect(startOf({ mode, ...(start !== undefined && { start }) }, fakeHost(1_234_567))).toBe(instant)
})

it('refuses to advance beyond the end of time, or in mode host', () => {
  const ends = 'Failed to advance the clock: time ends at 9999-12-31T23:59:59Z. Give an instant before that.'
  expect(() => checkAdvance('manual', latestInstant + 1)).toThrow(new ClockError(ends))
  expect(() => checkAdvance('host', NaN)).toThrow(new ClockError(ends))
  expect(() => checkAdvance('host', latestInstant)).toThrow(
    new ClockError(
      'Failed to advance the clock: in mode host time is the Date of this process. Advance that, as by ' +
        'vi.advanceTimersByTimeAsync(5000).',
    ),
  )
  expect(checkAdvance('auto', latestInstant)).toBeUndefined()
  expect([checkInstant(5, 5), checkInstant(6, 5)]).toEqual([undefined, undefined])
})

it.each<[ClockMode, { isExact: boolean; hasClients: boolean }, Timing]>([
  ['real', { isExact: true, hasClients: true }, 'wall'],
  ['scaled', { isExact: true, hasClients: true }, 'wall'],
  ['auto', { isExact: true, hasClients: true }, 'exact'],
  ['manual', { isExact: true, hasClients: false }, 'exact'],
  ['auto', { isExact: false, hasClients: true }, 'virtual'],
  ['auto', { isExact: false, hasClients: false }, 'assumed'],
])('measures the waits of clients in the mode %s with %j: %s', (mode, clients, timing) => {
  expect(timingOf(mode, clients)).toBe(timing)
})

it('needs no handler for a response that waits on a manual clock', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'manual', start: 0 }, host)
  const waiting = clock.wait(5_000)
  host.pass(60_000)
  await clock.advance(5_000)
  await waiting
})

it('assumes no poll after the end of time, and none in the past', () => {
  const clock = new Clock({ mode: 'auto', start: latestInstant - 5_000, pollStepMs: 5_000 })
  expect(clock.assumePollStep(latestInstant - 20_000)).toBe(true)
  expect([clock.now(), clock.auto.leftMs, clock.auto.assumedMs]).toEqual([
    latestInstant - 5_000,
    86_400_000,
    0,
  ])
  expect(clock.assumePollStep(latestInstant - 4_999)).toBe(true)
  expect(clock.now()).toBe(latestInstant - 5_000)
  expect(clock.assumePollStep(latestInstant - 5_000)).toBe(true)
  expect([clock.now(), clock.auto.leftMs, clock.auto.assumedMs]).toEqual([latestInstant, 86_395_000, 5_000])
  expect(clock.status().why).toBe(
    'auto: time has reached its end and stays there. Use another namespace, restore an earlier snapshot, or start again without the state',
  )
})

it('moves by an assumed poll up to the limit exactly', () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000, limitMs: 5_000 })
  clock.assumePollStep(0)
  expect([clock.now(), clock.auto.leftMs, clock.status().stuck]).toEqual([5_000, 0, null])
  clock.assumePollStep(5_000)
  expect([clock.now(), clock.status().stuck?.outcome]).toEqual([5_000, 'limit'])
})

it('assumes waits of Retry-After only with the option, without counting them as polls', () => {
  const clock = new Clock({ mode: 'auto', start: 0, assume: ['retry-after'] })
  expect([clock.assumePollStep(0), clock.assumeRetryAfter(9_000)]).toEqual([false, true])
  expect([clock.now(), clock.auto.assumedMs, clock.auto.leftMs]).toEqual([9_000, 0, 86_391_000])
  clock.setMode('manual')
  expect(clock.assumeRetryAfter(20_000)).toBe(false)
  expect(new Clock({ mode: 'auto', start: 0 }).assumeRetryAfter(9_000)).toBe(false)
})

it('wakes what is due on the way of an assumed poll, and postpones deadlines by it', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 })
  const woken: number[] = []
  void clock.wait(3_000).then(() => woken.push(clock.now()))
  const deadline = clock.deadline(4_000)
  clock.assumePollStep(0)
  expect([clock.now(), deadline.due]).toEqual([5_000, 9_000])
  await turns()
  expect(woken).toEqual([5_000])
  deadline.end()
})

it('refuses waits when it is closed, except those of sleepers', async () => {
  const clock = manual()
  const waiting = clock.wait(1_000)
  clock.close()
  await expect(waiting).rejects.toThrow('The clock was closed before the response was due.')
  await expect(clock.wait(1_000)).rejects.toThrow('The clock was closed')
  expect(() => clock.deadline(1_000)).toThrow('The clock was closed')
  expect(await clock.wait(1_000, undefined, { kind: 'work' })).toBeUndefined()
  expect(await clock.sleep(1_000)).toBe(0)
})

it('rejects a wait at once whose client has left', async () => {
  const clock = manual()
  await expect(clock.wait(1_000, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(clock.inUse).toBe(false)
})

it('waits whole milliseconds, and never less than none', async () => {
  const clock = manual()
  void clock.wait(1_000.4)
  void clock.wait(-5)
  void clock.wait(latestInstant)
  void clock.wait(latestInstant + 1)
  expect(clock.status().waiting.map((each) => each.replace('a delayed answer ', ''))).toEqual([
    'until 00:00:00',
    'until 00:00:01',
    expect.stringMatching(/^until \d+:59:59$/),
    'forever',
  ])
})

it('resumes where a restored clock was', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, resume: { now: 5_000, slept: true, movedMs: 7 } })
  expect(clock.past).toEqual({ mode: 'auto', rate: 0, now: 5_000, slept: true, movedMs: 7 })
  expect(clock.assumePollStep(5_000)).toBe(false)
  clock.forgetClients()
  expect(clock.past).toEqual({ mode: 'auto', rate: 0, now: 5_000, slept: false, movedMs: 0 })
  await clock.sleep(3_000)
  expect(clock.past).toMatchObject({ now: 8_000, slept: true, movedMs: 3_000 })
})

it('is about to move while something waits that can be woken', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  expect(clock.isMoving).toBe(false)
  const release = clock.auto.whileReading()
  expect(clock.isMoving).toBe(true)
  const { id } = clock.auto.holds.take('debugger')
  release()
  void clock.wait(1_000)
  expect(clock.isMoving).toBe(false)
  clock.auto.holds.release(id)
  expect(clock.isMoving).toBe(true)
  clock.setMode('manual')
  expect(clock.isMoving).toBe(false)
})

it('tells every move of time', async () => {
  const moves: number[] = []
  const clock = new Clock({ mode: 'manual', start: 0, onMove: (now) => moves.push(now) })
  void clock.wait(1_000)
  await clock.advance(2_000)
  await clock.advance(0)
  expect(moves).toEqual([1_000, 2_000])
})
