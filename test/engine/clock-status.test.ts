import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'

const manual = (): Clock => new Clock({ mode: 'manual', start: 0 })

it('lists what waits on the clock and until when, soonest first', () => {
  const clock = manual()
  void clock.wait(5_000, undefined, { kind: 'work' })
  void clock.sleep(1_000, { as: 'worker-a' })
  void clock.sleep(2_000)
  clock.deadline(3_000)
  clock.deadline(4_000, 'worker-b')
  void clock.wait(86_400_250, undefined, { kind: 'answer', name: 'worker-a', number: 41 })
  void clock.wait(Infinity, undefined, { kind: 'answer' })
  expect(clock.status()).toMatchObject({
    waiters: 7,
    nextWaiter: 1_000,
    waiting: [
      'worker-a until 00:00:01',
      'a client without a name until 00:00:02',
      'a deadline until 00:00:03',
      'a deadline of worker-b until 00:00:04',
      'background work until 00:00:05',
      'a delayed answer (#41) to worker-a until 24:00:00.250',
      'a delayed answer forever',
    ],
    why: 'manual: time moves only when it is advanced; 1 response waits: a delayed answer (#41) to worker-a until 24:00:00.250',
  })
})

it('lists twenty waiters, and counts the others', () => {
  const clock = manual()
  for (let count = 0; count < 22; count++) void clock.wait(1_000)
  const { waiting, why } = clock.status()
  expect(waiting).toHaveLength(21)
  expect(waiting.at(-1)).toBe('and 2 more')
  expect(why).toMatch(/; 22 responses wait: a delayed answer until 00:00:01, .*, and 2 more$/)
})

it('knows no next waiter and no next event when nothing waits', () => {
  const { nextWaiter, nextEvent, waiting } = manual().status()
  expect([nextWaiter, nextEvent, waiting]).toEqual([null, null, []])
})

it('names the hundred hours of a long wait', () => {
  const clock = manual()
  void clock.sleep(100 * 3_600_000 + 59 * 60_000 + 1)
  expect(clock.status().waiting).toEqual(['a client without a name until 100:59:00.001'])
})

it('is stuck at its limit, and says how far it would have to move', () => {
  const clock = new Clock({ mode: 'auto', start: 0, limitMs: 1_000 })
  void clock.sleep(2_000, { as: 'worker-a' })
  expect(clock.status().why).toBe(
    'auto: the limit is reached: time moves 1s by itself at most, and worker-a waits until 00:00:02. ' +
      'Raise clock.limit, or advance by hand',
  )
  clock.close()
})

it('names the first of many absent participants, and counts the others', () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 3 })
  clock.auto.participants.join('a')
  void clock.wait(1_000, undefined, { kind: 'work' })
  expect(clock.status().why).toBe(
    'auto: waiting for participant a (not seen yet) and 2 others; 0 of 3 parked',
  )
  void clock.sleep(1_000)
  expect(clock.status().why).toBe(
    'auto: waiting for participant a (not seen yet) and 1 other; 1 of 3 parked: a client without a name until 00:00:01',
  )
})

it('names twenty absent participants, and counts the others', () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const names = Array.from({ length: 22 }, (_, index) => `worker-${index}`)
  for (const name of names) clock.auto.participants.join(name)
  const named = names.slice(0, 20).map((name) => `${name} (not seen yet)`)
  expect(clock.status().why).toBe(
    `auto: waiting for participant ${named.join(', ')} and 2 others; 0 of 22 parked`,
  )
})

it('says that a deadlock is one: every participant waits for what never comes', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 1 })
  clock.auto.participants.join('a')
  const never = clock.wait(Infinity, undefined, { kind: 'answer', name: 'a', number: 3 })
  expect(clock.status().why).toBe(
    'auto: deadlock: all 1 participants are parked, and none can be woken: a delayed answer (#3) to a forever',
  )
  clock.close()
  await expect(never).rejects.toThrow('The clock was closed')
})
