import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'
import { Ledger, type Hold, type Reason } from '../../src/engine/clock/holds/ledger.ts'
import type { Waiter } from '../../src/engine/clock/waiters.ts'
import { fakeHost, passInSteps } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

const listHolders = (holds: readonly Hold[]): string => holds.map(({ who }) => who).join(', ')

const breakpoint: Reason = { rank: 35, describe: (holds) => `paused by ${listHolders(holds)}` }
const rendering: Reason = { rank: 36, isBrief: true, describe: (holds) => `rendering ${listHolders(holds)}` }

const sleepUntil = (due: number): Waiter => ({ due, waiting: { kind: 'sleep' }, rank: '', wake: () => {} })
const deadlineAt = (due: number): Waiter => ({ ...sleepUntil(due), waiting: { kind: 'deadline' } })

it('takes a hold of a kind that the clock does not know, and says who holds time and why', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const { ledger } = clock.auto
  const [editor, shell] = [ledger.take(breakpoint, 'an editor'), ledger.take(breakpoint, 'a shell')]
  void clock.sleep(5_000)
  await turns()
  expect([clock.now(), clock.status().why]).toEqual([0, 'auto: paused by an editor, a shell'])
  editor.release()
  shell.release()
  await turns()
  expect(clock.now()).toBe(5_000)
})

it('reports a new kind of hold as its reason says: nothing happened for five seconds', async () => {
  const host = fakeHost()
  const reports: string[] = []
  const clock = new Clock({ mode: 'auto', start: 0, onStuck: ({ why }) => reports.push(why) }, host)
  clock.auto.ledger.take({ ...breakpoint, outcome: 'absent' }, 'an editor')
  void clock.sleep(5_000)
  await turns()
  host.pass(5_000)
  expect(reports).toEqual(['auto: paused by an editor'])
})

it('lets time reach the instant of a hold, and not pass it', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const { release } = clock.auto.ledger.take(breakpoint, 'an editor', { from: 3_000 })
  expect(await clock.sleep(3_000, { as: 'a' })).toBe(3_000)
  void clock.sleep(1, { as: 'a' })
  await turns()
  expect(clock.now()).toBe(3_000)
  release()
  await turns()
  expect(clock.now()).toBe(3_001)
})

it('holds the deadlines of an instant without its other events', () => {
  const ledger = new Ledger(fakeHost(), () => {})
  ledger.take(breakpoint, 'an editor', { from: 3_000 })
  expect(ledger.before(sleepUntil(3_000), 0)).toBeUndefined()
  expect(ledger.before(deadlineAt(3_000), 0)).toMatchObject({ who: 'an editor', from: 3_000 })
})

it('assumes no poll step across the instant of a hold', () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 }, fakeHost())
  clock.auto.ledger.take(breakpoint, 'an editor', { from: 5_000 })
  clock.assumePollStep(0)
  expect(clock.now()).toBe(5_000)
  clock.assumePollStep(5_000)
  expect(clock.now()).toBe(5_000)
})

it('assumes a poll step although another request is being read', () => {
  const clock = new Clock({ mode: 'auto', start: 0, pollStepMs: 5_000 }, fakeHost())
  clock.auto.whileReading()
  clock.assumePollStep(0)
  expect(clock.now()).toBe(5_000)
})

it('finds the last moment before the limit, and before the deadline of a client at work', () => {
  const clock = new Clock({ mode: 'auto', start: 0, limitMs: 60_000 }, fakeHost())
  const { ledger } = clock.auto
  expect(ledger.before(sleepUntil(60_000), 0)).toBeUndefined()
  expect(ledger.before(deadlineAt(60_001), 0)).toMatchObject({ from: 60_001, who: 'a client without a name' })
  expect(ledger.before(sleepUntil(60_001), 0)).toMatchObject({ from: 60_000.5, who: 'the limit' })
})

it('ends a hold by the time of the host, and a brief one not for a pause of this process', () => {
  const host = fakeHost()
  const ledger = new Ledger(host, () => {})
  const hold = ledger.take(breakpoint, 'an editor', { forMs: 30_000 })
  ledger.take(rendering, 'a clip', { forMs: 50 })
  expect(hold.ends).toBe(30_000)
  host.pass(30_000)
  expect(listHolders([...ledger.list(breakpoint), ...ledger.list(rendering)])).toBe('a clip')
  passInSteps(host, 40, 10)
  expect(ledger.size).toBe(0)
})

it('reports the end of a hold once, however often it is released', () => {
  let changes = 0
  const ledger = new Ledger(fakeHost(), () => changes++)
  const { release } = ledger.take(breakpoint, 'an editor')
  release()
  release()
  expect(changes).toBe(1)
})

/** Holds from an instant, or from the present if that is 0. */
const plannedHold = fc.record({
  from: fc.oneof(fc.constant(-Infinity), fc.nat({ max: 50 })),
  reason: fc.constantFrom(breakpoint, rendering),
})

it('passes no instant that is held, whatever sleeps and whichever holds come and go', async () => {
  const step = fc.oneof(
    fc.record({ take: plannedHold }),
    fc.record({ release: fc.nat() }),
    fc.record({ sleep: fc.nat({ max: 20 }) }),
    fc.record({ deadline: fc.nat({ max: 20 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const host = fakeHost()
      const clock = new Clock({ mode: 'auto', start: 0 }, host)
      const held: { from: number; release: () => void }[] = []
      for (const each of steps) {
        const before = clock.now()
        if ('take' in each) {
          const { reason, from } = each.take
          held.push(clock.auto.ledger.take(reason, 'an editor', { from }))
        } else if ('release' in each) {
          held.splice(each.release % (held.length + 1), 1)[0]?.release()
        } else if ('sleep' in each) void clock.sleep(each.sleep, { as: 'a' })
        else clock.deadline(each.deadline, 'a').passed.catch(() => {})
        passInSteps(host, 25, 5)
        await turns(6)
        expect(clock.now()).toBeLessThanOrEqual(Math.max(before, Math.min(...held.map(({ from }) => from))))
      }
      // Without a hold, everyone wakes: no release was lost.
      for (const { release } of held) release()
      void clock.sleep(1_000, { as: 'a' })
      for (let round = 0; clock.status().waiters > 0 && round < 4 * steps.length + 8; round++) {
        passInSteps(host, 300, 10)
        await turns(4)
      }
      expect(clock.status().waiting).toEqual([])
      clock.close()
    }),
    { numRuns: 60 },
  )
})

it('says the same of holds in whichever order they are taken', () => {
  fc.assert(
    fc.property(
      fc.array(plannedHold, { maxLength: 8 }),
      fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      fc.nat({ max: 60 }),
      fc.boolean(),
      (holds, keys, due, isDeadline) => {
        const next = isDeadline ? deadlineAt(due) : sleepUntil(due)
        const find = (planned: typeof holds): Reason | undefined => {
          const ledger = new Ledger(fakeHost(), () => {})
          for (const { reason, from } of planned) ledger.take(reason, 'an editor', { from })
          return ledger.before(next, 0)?.why
        }
        const shuffled = holds
          .map((hold, index) => ({ hold, key: keys[index]! }))
          .sort((one, other) => one.key - other.key)
        const isHeld = holds.some(({ from }) => (isDeadline ? from <= due : from < due))
        expect(find(holds) !== undefined).toBe(isHeld)
        expect(find(shuffled.map(({ hold }) => hold))).toBe(find(holds))
      },
    ),
  )
})
