import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ClockClosed, latestInstant, type Stuck } from '../../src/engine/clock/clock-settings.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost, passInSteps } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

const hang = (clock: Clock, name?: string, signal?: AbortSignal): Promise<void> =>
  clock.wait(Infinity, signal, name === undefined ? { kind: 'answer' } : { kind: 'answer', name })

/** Notes the instants at which deadlines pass. */
function watch(clock: Clock, durations: readonly number[], owner?: string): number[] {
  const passed: number[] = []
  for (const duration of durations) {
    // One that has not passed when the clock closes never does.
    void clock.deadline(duration, owner).passed.then(
      (now) => passed.push(now),
      () => {},
    )
  }
  return passed
}

it('moves no time to a deadline while its owner is at work, and none past it', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const passed = watch(clock, [30_000], 'worker-a')
  void clock.sleep(60_000, { as: 'worker-b' })
  await turns(8)
  expect([clock.now(), passed]).toEqual([0, []])
  expect(clock.status()).toMatchObject({
    waiters: 2,
    why:
      'auto: waiting for the owner of a deadline of worker-a until 00:00:30, which is at work: it neither sleeps on the ' +
      'clock nor waits for a delayed answer under this name',
  })
})

it('moves to others that are due before a deadline whose owner is at work', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  clock.deadline(30_000, 'worker-a')
  expect(await clock.sleep(20_000, { as: 'worker-b' })).toBe(20_000)
})

it('moves to a deadline when its owner waits for a response that never comes', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const { passed, due } = clock.deadline(30_000)
  void hang(clock)
  expect([await passed, clock.now(), due]).toEqual([30_000, 30_000, 30_000])
})

it('passes a deadline in the sleep of its owner, at its own instant', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const { passed } = clock.deadline(30_000, 'worker-a')
  const sleeping = clock.sleep(90_000, { as: 'worker-a' })
  expect(await passed).toBe(30_000)
  expect(clock.now()).toBe(30_000)
  expect(await sleeping).toBe(90_000)
})

it('counts a response that comes at the instant of the deadline as in time', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const order: string[] = []
  const { passed } = clock.deadline(5_000)
  void passed.then(() => order.push('deadline'))
  await clock.wait(5_000).then(() => order.push('response'))
  expect(order).toEqual(['response'])
})

it('waits for the owner to react before time moves on', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  const leaving = new AbortController()
  const { passed } = clock.deadline(5_000)
  clock.wait(60_000, leaving.signal).catch(() => {})
  void clock.sleep(7_000, { as: 'worker-b' })
  await passed
  await turns(8)
  expect(clock.now()).toBe(5_000)
  leaving.abort(new Error('timed out'))
  await turns(8)
  expect(clock.now()).toBe(7_000)
})

it('does not wait forever for an owner that ignores its deadline', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  clock.deadline(5_000)
  const response = clock.wait(60_000)
  await turns(8)
  expect(clock.status().why).toBe('auto: waiting for a client without a name to come back after waking')
  passInSteps(host, 25)
  await response
  expect(clock.now()).toBe(60_000)
})

it("does not take the simulator's own work for the reaction of an owner", async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  clock.deadline(5_000)
  void clock.wait(60_000)
  await turns(8)
  void clock.wait(1_000, undefined, { kind: 'work' })
  await turns(8)
  expect(clock.now()).toBe(5_000)
  expect(clock.status().why).toBe('auto: waiting for a client without a name to come back after waking')
})

it('opens on no clock that is closed', () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  clock.close()
  expect(() => clock.deadline(5_000)).toThrow(ClockClosed)
})

it('is over when it is ended, however often, and leaves nothing on the clock', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const { end, passed } = clock.deadline(5_000)
  let hasPassed = false
  void passed.then(() => (hasPassed = true))
  end()
  end()
  expect(clock.status().waiters).toBe(0)
  expect(await clock.sleep(60_000)).toBe(60_000)
  expect(hasPassed).toBe(false)
})

it('takes an owner with more deadlines than waits to be parked only after a quiet moment', async () => {
  const host = fakeHost()
  const requests = { started: 1, open: 1 }
  const clock = new Clock({ mode: 'auto', start: 0, requests }, host)
  const passed = watch(clock, [30_000, 120_000])
  void hang(clock)
  await turns(8)
  expect(clock.status().why).toMatch(
    /^auto: waiting for a quiet moment before a deadline until 00:00:30, whose owner/,
  )
  host.pass(200)
  requests.started++
  host.pass(100)
  await turns(8)
  expect(clock.now()).toBe(0)
  // A process that was busy for a while has not yet read what arrived meanwhile.
  host.pass(1_000)
  await turns(8)
  expect(clock.now()).toBe(0)
  for (let step = 0; step < 5; step++) host.pass(50)
  await turns(8)
  expect(passed).toEqual([30_000])
})

it('is put off by a wait that is assumed: the client has waited before', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 })
  const deadline = clock.deadline(4_000)
  clock.assumePollStep(clock.now())
  expect(deadline.due).toBe(9_000)
  void hang(clock)
  expect(await deadline.passed).toBe(9_000)
})

it('is put off behind what is due before it then', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 })
  const order: string[] = []
  void clock.deadline(6_000).passed.then(() => order.push('deadline'))
  const response = clock.wait(8_000).then(() => order.push(`response at ${clock.now()}`))
  clock.assumePollStep(0)
  await response
  expect(order).toEqual(['response at 8000'])
})

it('never passes when it is put off beyond the end of time', () => {
  const clock = new Clock({ mode: 'auto', start: latestInstant - 8_000, pollStepMs: 5_000 })
  const deadline = clock.deadline(6_000)
  clock.assumePollStep(clock.now())
  expect(deadline.due).toBe(Infinity)
})

it('passes at its instant when time is moved by hand', async () => {
  const clock = new Clock({ mode: 'manual', start: 0 })
  const passed = watch(clock, [30_000, 10_000, 40_000])
  await clock.advance(35_000)
  expect(passed).toEqual([10_000, 30_000])
})

it('passes with the time of the host', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'scaled', rate: 60, start: 0 }, host)
  const passed = watch(clock, [30_000])
  host.pass(499)
  await turns()
  expect(passed).toEqual([])
  host.pass(1)
  await turns()
  expect(passed).toEqual([30_000])
})

it('rejects when the clock closes, and is not opened after', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const { passed } = clock.deadline(30_000)
  clock.close()
  await expect(passed).rejects.toThrow(ClockClosed)
  expect(() => clock.deadline(1)).toThrow(ClockClosed)
})

it('resolves a deadlock of participants, and keeps waiting for the one that is to react', async () => {
  const host = fakeHost()
  const stuck: Stuck[] = []
  const clock = new Clock({ mode: 'auto', start: 0, onStuck: (each) => stuck.push(each) }, host)
  for (const name of ['worker-a', 'worker-b']) clock.auto.participants.join(name)
  const leaving = new AbortController()
  const { passed } = clock.deadline(30_000, 'worker-a')
  hang(clock, 'worker-a', leaving.signal).catch(() => {})
  void clock.sleep(60_000, { as: 'worker-b' })
  expect(await passed).toBe(30_000)
  // The machine stops this process, which has read nothing of the client meanwhile.
  host.pass(5_000)
  passInSteps(host, 700, 100)
  await turns(8)
  expect(clock.now()).toBe(30_000)
  leaving.abort(new Error('timed out'))
  await turns(8)
  expect([clock.now(), stuck]).toEqual([30_000, []])
  await clock.sleep(5_000, { as: 'worker-a' })
  expect(clock.now()).toBe(35_000)
})

it('reports an owner that neither waits nor ends its deadline while others wait for it', async () => {
  const host = fakeHost()
  const stuck: Stuck[] = []
  const clock = new Clock({ mode: 'auto', start: 0, onStuck: (each) => stuck.push(each) }, host)
  clock.deadline(30_000, 'worker-a')
  void clock.sleep(60_000, { as: 'worker-b' })
  await turns(8)
  host.pass(5_000)
  expect(stuck).toMatchObject([{ outcome: 'absent', why: expect.stringContaining('worker-a') }])
})

/** What clients do, each with at most one request at a time that its deadline guards. */
const names = ['a', 'b', undefined] as const
const request = fc.record({
  owner: fc.constantFrom(...names),
  /** Milliseconds until the response; Infinity for one that never comes. */
  delay: fc.oneof(fc.nat({ max: 60_000 }), fc.constant(Infinity)),
  limit: fc.nat({ max: 60_000 }),
  /** How long the client computes before its request arrives, in turns of the event loop. */
  work: fc.nat({ max: 12 }),
})

it('lets a response in time win and a late one lose, however long clients compute, and passes each deadline once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
      const clock = new Clock({ mode: 'auto', start: 0 })
      const live = async (owner: (typeof names)[number]): Promise<void> => {
        for (const { delay, limit, work } of requests.filter((each) => each.owner === owner)) {
          const start = clock.now()
          const leaving = new AbortController()
          const { passed, end, due } = clock.deadline(limit, owner)
          await turns(work)
          // Time has not gone past the deadline, whatever the others do.
          expect(clock.now()).toBeLessThanOrEqual(due)
          const arrival = clock.now()
          const waiting = { kind: 'answer', ...(owner !== undefined && { name: owner }) } as const
          const response = clock.wait(delay, leaving.signal, waiting).then(() => 'response')
          response.catch(() => {})
          const outcome = await Promise.race([passed.then(() => 'deadline'), response])
          expect(outcome).toBe(arrival + delay <= start + limit ? 'response' : 'deadline')
          expect(clock.now()).toBe(Math.min(arrival + delay, start + limit))
          leaving.abort(new Error('timed out'))
          end()
          await turns(1)
        }
      }
      await Promise.all(names.map(live))
      expect(clock.status().waiters).toBe(0)
      clock.close()
    }),
    { numRuns: 60 },
  )
})

it('never moves time by itself for deadlines alone', async () => {
  const durations = fc.array(fc.nat({ max: 90_000 }), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(durations, fc.constantFrom(...names), async (limits, owner) => {
      const clock = new Clock({ mode: 'auto', start: 0 })
      const passed = watch(clock, limits, owner)
      await turns(2 * limits.length + 4)
      expect([clock.now(), passed]).toEqual([0, []])
      clock.close()
    }),
    { numRuns: 40 },
  )
})

it('ends a deadline once, however often its owner says so', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const [first] = [30_000, 40_000, 50_000].map((durationMs) => clock.deadline(durationMs, 'worker-a'))
  first!.end()
  first!.end()
  void hang(clock, 'worker-a').catch(() => {})
  await turns()
  expect(clock.status()).toMatchObject({
    now: 0,
    waiters: 3,
    why:
      'auto: waiting for a quiet moment before a deadline of worker-a until 00:00:40, whose owner has more deadlines ' +
      'than waits',
  })
  clock.close()
})
