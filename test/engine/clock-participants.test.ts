import { expect, it } from 'vitest'
import { ClockError, type Stuck } from '../../src/engine/clock/clock-settings.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { Ledger } from '../../src/engine/clock/holds/ledger.ts'
import { participantName, Participants } from '../../src/engine/clock/holds/participants.ts'
import { Waiters } from '../../src/engine/clock/waiters.ts'
import { fakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

it('moves only when all participants are parked, and says for whom it waits', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  for (const name of ['worker-a', 'worker-b', 'worker-c']) clock.auto.participants.join(name)
  clock.auto.participants.seen('worker-b')
  host.pass(1_200)
  void clock.sleep(65_000, { as: 'worker-a' })
  void clock.wait(58_000, undefined, { kind: 'answer', number: 41, name: 'worker-c' })
  await turns()
  expect(clock.status()).toMatchObject({
    now: 0,
    why:
      'auto: waiting for participant worker-b (last seen 1.2 s ago); 2 of 3 parked: ' +
      'a delayed answer (#41) to worker-c until 00:00:58, worker-a until 00:01:05',
    participants: { expected: 3, parked: 2 },
  })
  void clock.sleep(70_000, { as: 'worker-b' })
  await turns()
  expect(clock.now()).toBe(58_000)
})

it('counts those without a name, and answers for them', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 3 })
  void clock.sleep(1_000)
  void clock.wait(2_000)
  await turns()
  expect(clock.now()).toBe(0)
  expect(clock.status().why).toBe(
    'auto: waiting for 1 more participant; 2 of 3 parked: a client without a name until 00:00:01, ' +
      'a delayed answer until 00:00:02',
  )
  void clock.sleep(3_000)
  await turns()
  expect(clock.now()).toBe(1_000)
})

it('does not count background work, nor twice a participant that waits for two things', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 2 })
  void clock.wait(500, undefined, { kind: 'work' })
  void clock.sleep(1_000, { as: 'worker-a' })
  const leaving = new AbortController()
  const second = clock.sleep(9_000, { as: 'worker-a', signal: leaving.signal })
  await turns()
  expect(clock.status()).toMatchObject({ now: 0, participants: { parked: 1, names: ['worker-a'] } })
  leaving.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  expect(clock.status().participants.parked).toBe(1)
})

it('no longer waits for a participant that left', async () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 2 })
  void clock.sleep(1_000, { as: 'worker-a' })
  await turns()
  expect(clock.now()).toBe(0)
  clock.auto.participants.leave()
  await turns()
  expect(clock.now()).toBe(1_000)
  expect(() => clock.auto.participants.leave('worker-x')).toThrow(
    'Failed to leave the clock as "worker-x": the participants are worker-a.',
  )
  clock.auto.participants.leave('worker-a')
  expect(() => clock.auto.participants.leave()).toThrow(
    'Failed to leave the clock: there are no participants.',
  )
})

it('ignores a late request of a participant that left, until it joins again', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  const { participants } = clock.auto
  for (const name of ['worker-a', 'worker-b']) participants.join(name)
  participants.leave('worker-a')
  participants.seen('worker-a')
  void clock.sleep(5_000, { as: 'worker-b' })
  await turns()
  expect([clock.now(), participants.names]).toEqual([5_000, ['worker-b']])
  participants.join('worker-a')
  expect(participants.names).toEqual(['worker-b', 'worker-a'])
})

it('lets a participant leave once: a second call takes no seat of another', () => {
  const { participants } = new Clock({ mode: 'auto', start: 0, participants: 3 }).auto
  participants.join('worker-a')
  participants.leave('worker-a')
  expect(() => participants.leave('worker-a')).toThrow('Failed to leave the clock as "worker-a"')
  expect(participants.expected).toBe(2)
})

it('lets a participant leave that was never seen, as long as a seat is free', () => {
  const { participants } = new Clock({ mode: 'auto', start: 0, participants: 2 }).auto
  participants.seen('worker-a')
  participants.leave('worker-b')
  expect([participants.expected, participants.names]).toEqual([1, ['worker-a']])
  expect(() => participants.leave('worker-c')).toThrow('the participants are worker-a')
})

it('does not take a participant that left in its sleep for one that is parked', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 })
  clock.auto.participants.join('worker-a')
  clock.auto.participants.join('worker-b')
  void clock.sleep(1_000, { as: 'worker-a' })
  clock.auto.participants.leave('worker-a')
  await turns()
  expect(clock.now()).toBe(0)
})

it('assumes nothing of participants', () => {
  const clock = new Clock({ mode: 'auto', start: 0, participants: 1, assume: ['poll', 'retry-after'] })
  expect([clock.assumePollStep(0), clock.assumeRetryAfter(9_000)]).toEqual([false, false])
  expect(clock.now()).toBe(0)
})

it('wakes participants that are due together by name, however they raced', async () => {
  for (const arriving of [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
  ]) {
    const clock = new Clock({ mode: 'auto', start: 0, participants: 3 })
    const woken: string[] = []
    const all = arriving.map(async (as) => {
      await clock.sleep(1_000, { as })
      woken.push(as)
      clock.auto.participants.leave(as)
    })
    await Promise.all(all)
    expect(woken).toEqual(['a', 'b', 'c'])
  }
})

it('tells a deadlock once, with who waits for what, and that it is over', async () => {
  const reported: Stuck[] = []
  const host = fakeHost()
  const clock = new Clock(
    { mode: 'auto', start: 0, participants: 2, onStuck: (stuck) => reported.push(stuck) },
    host,
  )
  const leaving = new AbortController()
  const hung = clock.wait(Infinity, leaving.signal, { kind: 'answer', number: 7, name: 'worker-a' })
  await turns()
  expect(reported).toEqual([])
  void clock.wait(Infinity, undefined, { kind: 'answer', number: 9, name: 'worker-b' })
  await turns()
  host.pass(2_000)
  const waiting = ['a delayed answer (#7) to worker-a forever', 'a delayed answer (#9) to worker-b forever']
  expect(reported).toMatchObject([{ outcome: 'deadlock', waiting, forMs: 0 }])
  expect(clock.status().stuck).toEqual({
    outcome: 'deadlock',
    why: `auto: deadlock: all 2 participants are parked, and none can be woken: ${waiting.join(', ')}`,
    waiting,
    forMs: 2_000,
  })
  // A client's own timeout ends what the clock can't.
  leaving.abort(new Error('timed out'))
  await expect(hung).rejects.toThrow('timed out')
  await turns()
  expect(clock.status().stuck).toBeNull()
  expect(reported).toHaveLength(1)
})

it('refuses a number of participants that cannot be', () => {
  expect(() => new Clock({ mode: 'auto', participants: 1.5 })).toThrow('participants is 1.5')
  expect(() => new Clock({ mode: 'auto', participants: -1 })).toThrow('participants is -1')
})

it('says in every mode what time does', async () => {
  const whyOf = (mode: 'real' | 'scaled' | 'manual' | 'host' | 'auto'): string =>
    new Clock({ mode, ...(mode === 'scaled' ? { rate: 60 } : {}) }).status().why
  expect(whyOf('real')).toBe("real: time passes at the host's pace")
  expect(whyOf('scaled')).toBe("scaled: time passes at 60 times the host's pace")
  expect(whyOf('manual')).toBe('manual: time moves only when it is advanced')
  expect(whyOf('host')).toBe('host: time is the Date of this process')
  expect(whyOf('auto')).toBe(
    'auto: nothing waits on the clock; the next poll of an unfinished task moves it by 5s',
  )
  const clock = new Clock({ mode: 'auto', start: 0 })
  const done = clock.auto.whileReading()
  void clock.sleep(3_661_250)
  expect(clock.status().why).toBe('auto: reading 1 request')
  done()
  expect(clock.status().why).toBe('auto: moving on: a client without a name waits until 01:01:01.250')
  void clock.advance(1)
  expect(clock.status().why).toBe('auto: being advanced by hand')
  clock.close()
})

it('names at most twenty that wait', () => {
  const clock = new Clock({ mode: 'manual', start: 0 })
  for (let count = 0; count < 23; count++) void clock.sleep(count * 1_000, { as: `worker-${count}` })
  const { waiting } = clock.status()
  expect([waiting.length, waiting[0], waiting.at(-1)]).toEqual([21, 'worker-0 until 00:00:00', 'and 3 more'])
})

it('has at most a thousand participants', () => {
  const clockFor = (participants: number): Clock => new Clock({ mode: 'auto', start: 0, participants })
  expect(clockFor(1_000).status().participants.expected).toBe(1_000)
  expect(() => clockFor(1_001)).toThrow(
    'Failed to set the clock: participants is 1001. Use a whole number up to 1000.',
  )
  const { participants } = clockFor(0).auto
  for (let count = 0; count < 1_000; count++) participants.join(`worker-${count}`)
  expect(() => participants.join('one more')).toThrow(
    'Failed to join the clock as "one more": 1000 take part already.',
  )
  expect(participants.expected).toBe(1_000)
})

it.each([
  ['worker-a', true],
  ['a', true],
  ['w.1:2@host/3_x-y', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['a b', false],
  ['a\n', false],
  [' a', false],
  ['zwölf', false],
])('takes %j for the name of a participant: %s', (name, isName) => {
  expect(participantName.test(name)).toBe(isName)
})

/** Participants whose stopwatch a test moves. */
function participantsOf(seats: number) {
  let gone = 0
  const host = fakeHost()
  const waiters = new Waiters()
  const participants = new Participants(new Ledger(host, () => void gone++), waiters, host, seats)
  /** @returns what ends the wait. */
  const park = (name?: string): (() => void) => {
    const waiting = { kind: 'sleep', ...(name !== undefined && { name }) } as const
    const { remove } = waiters.add({ due: 0, waiting, rank: '', wake: () => {} })
    return () => {
      remove()
      if (name !== undefined) participants.woke(name)
    }
  }
  return { participants, park, pass: host.pass, gone: () => gone }
}

it('counts each participant once that waits, and each wait without a name', () => {
  const { participants, park } = participantsOf(3)
  participants.join('a')
  const [one, two, other] = [park('a'), park('a'), park()]
  park('b')
  expect(participants.parked).toBe(2)
  one()
  expect(participants.parked).toBe(2)
  two()
  other()
  expect(participants.parked).toBe(0)
})

it('says how long participants were not seen, and lists those that are not parked', () => {
  const { participants, park, pass } = participantsOf(0)
  for (const name of ['a', 'b', 'c']) participants.join(name)
  participants.seen('b')
  const over = park('c')
  pass(1_000)
  expect(participants.absent()).toEqual([
    { name: 'a', unseenMs: undefined },
    { name: 'b', unseenMs: 1_000 },
  ])
  over()
  pass(500)
  participants.join('b')
  expect(participants.absent().map(({ unseenMs }) => unseenMs)).toEqual([undefined, 1_500, 500])
})

it('records no participant while none is expected', () => {
  const { participants } = participantsOf(0)
  participants.seen('a')
  participants.seen('b')
  expect([participants.names, participants.expected, participants.areKnown]).toEqual([[], 0, false])
})

it('reports each participant that leaves, and gives its seat up', () => {
  const { participants, gone } = participantsOf(2)
  participants.join('a')
  participants.leave('a')
  participants.leave('b')
  expect([participants.expected, gone()]).toEqual([0, 2])
  expect(() => participants.leave('c')).toThrow(
    new ClockError('Failed to leave the clock as "c": there are no participants.'),
  )
  participants.join('a')
  participants.seen('b')
  expect([participants.names, participants.expected]).toEqual([['a'], 1])
})

it('ignores requests of a thousand participants that left, and of a thousand and one no longer of the first', () => {
  const { participants } = participantsOf(1)
  participants.join('anchor')
  for (let count = 0; count <= 1_000; count++) {
    participants.join(`worker-${count}`)
    participants.leave(`worker-${count}`)
  }
  participants.seen('worker-1')
  expect(participants.names).toEqual(['anchor'])
  participants.seen('worker-0')
  expect(participants.names).toEqual(['anchor', 'worker-0'])
})

it('takes no further name on its own when a thousand take part', () => {
  const { participants } = participantsOf(1_000)
  for (let count = 0; count < 1_000; count++) participants.seen(`worker-${count}`)
  participants.seen('one more')
  participants.seen('worker-0')
  expect([participants.names.length, participants.expected]).toEqual([1_000, 1_000])
})
