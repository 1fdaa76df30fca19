import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ClockError, latestInstant, type ClockMode } from '../src/engine/clock/clock-settings.ts'
import { Clock } from '../src/engine/clock/clock.ts'
import { EventLog } from '../src/engine/tasks/events.ts'
import { TaskStore } from '../src/engine/tasks/tasks.ts'
import { createSimulator, type EmbeddedSimulator, type SimulatorEvent } from '../src/index.ts'
import { drawingLifecycle, videoLifecycle } from './support/lifecycles.ts'
import { fakeHost } from './support/fake-host.ts'
import { liveTogether, parts, shared } from './support/participants.ts'
import { turns } from './support/turns.ts'
import { getContent, pollVideo, submitVideo } from './support/video.ts'

const start = Date.UTC(2030, 0, 1)

type Transport = { sim: EmbeddedSimulator; call: (path: string, init?: RequestInit) => Promise<Response> }

function open(options: Parameters<typeof createSimulator>[0]): Transport & AsyncDisposable {
  const sim = createSimulator({ cacheDir: false, ...options })
  return { sim, call: (path, init) => sim.fetch(path, init), [Symbol.asyncDispose]: sim.close }
}

const spans = fc.record({
  queued: fc.integer({ min: 0, max: 60_000 }),
  render: fc.integer({ min: 0, max: 60_000 }),
})

const taskOf = ({ queued, render }: { queued: number; render: number }): object => ({
  match: { op: 'video.submit' },
  task: { queued, render },
})

it('is monotone: whatever is done to a clock, its time never goes back, nor can it be sent back', async () => {
  const name = fc.constantFrom('a', 'b')
  const ms = fc.integer({ min: 0, max: 100_000 })
  const step = fc.oneof(
    fc.tuple(fc.constant('pass' as const), fc.integer({ min: -5_000, max: 50_000 })),
    fc.tuple(fc.constant('pass busy' as const), ms),
    fc.tuple(fc.constant('advance' as const), ms),
    fc.tuple(fc.constant('mode' as const), fc.constantFrom('real', 'scaled', 'manual', 'auto', 'host')),
    fc.tuple(fc.constant('poll' as const), ms),
    fc.tuple(fc.constant('sleep' as const), ms),
    fc.tuple(fc.constant('deadline' as const), ms),
    fc.tuple(fc.constant('join' as const), name),
    fc.tuple(fc.constant('leave' as const), name),
    fc.tuple(fc.constant('hold' as const), ms),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const host = fakeHost()
      const seen = [0]
      const deadlines: { due: number; passed: number; seenAt: number }[] = []
      const clock = new Clock({ mode: 'manual', start: 0, onMove: (now) => seen.push(now) }, host)
      for (const [what, value] of steps) {
        if (what === 'pass') host.pass(value)
        if (what === 'pass busy') host.passBusy(value)
        if (what === 'advance' && clock.mode !== 'host') await clock.advance(value)
        if (what === 'mode') setModeIfItCan(clock, value as ClockMode)
        if (what === 'poll') clock.assumePollStep(value)
        if (what === 'sleep') void clock.sleep(value).then((now) => seen.push(now))
        if (what === 'deadline') {
          const deadline = clock.deadline(value, value % 2 === 0 ? 'a' : undefined)
          const record = (passed: number): void => {
            deadlines.push({ due: deadline.due, passed, seenAt: clock.now() })
          }
          void deadline.passed.then(record, () => {})
        }
        if (what === 'join') clock.auto.participants.join(value)
        if (what === 'leave' && clock.auto.participants.names.includes(value))
          clock.auto.participants.leave(value)
        if (what === 'hold') clock.auto.holds.take('a client', value + 1)
        await turns(2)
        seen.push(clock.now())
      }
      const last = clock.now()
      expect(seen).toEqual(seen.toSorted((one, other) => one - other))
      expect(seen.every(Number.isInteger)).toBe(true)
      // A client sees a deadline after it passed. The mode can change in between, and with it the time.
      for (const { due, passed, seenAt } of deadlines) {
        expect([due, passed, seenAt]).toEqual([due, passed, seenAt].toSorted((one, other) => one - other))
      }
      if (clock.mode !== 'host') await expect(clock.advanceTo(last - 1)).rejects.toThrow('in the past')
      clock.close()
      expect(clock.now()).toBeGreaterThanOrEqual(last)
    }),
    {
      numRuns: 150,
      examples: [
        [
          [
            ['deadline', 0],
            ['mode', 'real'],
            ['pass busy', 1],
            ['mode', 'auto'],
            ['poll', 0],
          ],
        ],
        [
          [
            ['deadline', 0],
            ['mode', 'real'],
            ['mode', 'host'],
          ],
        ],
      ],
    },
  )
})

/** A clock that is ahead of the Date can't follow it. */
function setModeIfItCan(clock: Clock, mode: ClockMode): void {
  try {
    clock.setMode(mode)
  } catch (error) {
    expect(error).toBeInstanceOf(ClockError)
    expect([mode, clock.now() > Date.now() - 1_000]).toEqual(['host', true])
  }
}

it('is causal: an answer shows what has happened by its admission, and nothing before its cause', async () => {
  const looks = fc.array(fc.nat({ max: 130_000 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(spans, looks, async (plan, ages) => {
      await using transport = open({ clock: { mode: 'manual', start }, rules: [taskOf(plan) as never] })
      const id = await submitVideo(transport)
      // The instant of a transition, and the last before it, are where mistakes are made.
      const edges = [plan.queued, plan.queued + plan.render].flatMap((edge) => [Math.max(0, edge - 1), edge])
      for (const age of [...ages, ...edges].toSorted((one, other) => one - other)) {
        await transport.sim.clock.advance(start + age - transport.sim.clock.now())
        const isDone = age >= plan.queued + plan.render
        const status = isDone ? 'SUCCESS' : age >= plan.queued ? 'IN_PROGRESS' : 'queued'
        expect((await pollVideo(transport, id)).status).toBe(status)
        expect((await getContent(transport, id, { method: 'HEAD' })).ok).toBe(isDone)
      }
      const { timeline } = transport.sim.task(id)
      expect(timeline.map(({ from }) => from - start)).toEqual([0, plan.queued, plan.queued + plan.render])
    }),
    { numRuns: 20 },
  )
})

const dues = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 30 })

/** Waits of given lengths, and who woke when. */
function park(clock: Clock, durations: readonly number[]): [number, number][] {
  const woken: [number, number][] = []
  for (const [index, duration] of durations.entries()) {
    const wake = (): void => void woken.push([clock.now(), index])
    // A wait that is not over when the clock closes never wakes.
    clock.wait(duration).then(wake, () => {})
  }
  return woken
}

const inOrder = (durations: readonly number[]): [number, number][] =>
  durations
    .map((due, index): [number, number] => [due, index])
    .toSorted((one, other) => one[0] - other[0] || one[1] - other[1])

it('has a total order: by instant, then by arrival, each at its own instant, by itself or by hand', async () => {
  await fc.assert(
    fc.asyncProperty(dues, async (durations) => {
      const byHand = new Clock({ mode: 'manual', start: 0 })
      const woken = park(byHand, durations)
      await byHand.advance(20)
      expect(woken).toEqual(inOrder(durations))
      const byItself = new Clock({ mode: 'auto', start: 0 })
      const seen = park(byItself, durations)
      await byItself.wait(13)
      expect(seen).toEqual(inOrder(durations))
    }),
    { numRuns: 30 },
  )
})

it('does everything exactly once, however time is divided and whichever client polls first', async () => {
  const pieces = fc.array(fc.tuple(fc.nat({ max: 30_000 }), fc.boolean()), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(spans, dues, pieces, async (plan, durations, cuts) => {
      await using transport = open({ clock: { mode: 'manual', start }, rules: [taskOf(plan) as never] })
      const id = await submitVideo(transport)
      const whole = transport.sim.task(id).timeline
      const { clock } = transport.sim.core.namespaces.get('default')
      const woken = park(
        clock,
        durations.map((duration) => duration * 5_000),
      )
      const statuses: string[] = []
      for (const [span, looks] of cuts) {
        await transport.sim.clock.advance(span)
        if (looks) statuses.push((await pollVideo(transport, id)).status)
      }
      await transport.sim.clock.advance('3m')
      expect(woken.map(([, index]) => index).toSorted((one, other) => one - other)).toEqual([
        ...durations.keys(),
      ])
      expect(transport.sim.task(id).timeline).toEqual(whole)
      const rank = ['queued', 'IN_PROGRESS', 'SUCCESS']
      const ranks = statuses.map((status) => rank.indexOf(status))
      expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
      clock.close()
    }),
    { numRuns: 25 },
  )
})

it('is deterministic: with participants, clients live one history however long each of them takes', async () => {
  const histories = new Set<string>()
  const schedule = fc.tuple(...parts.map(() => fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 9 })))
  await fc.assert(
    fc.asyncProperty(schedule, async (schedules) => {
      await using transport = open(shared)
      const calls = new Map<string, number>()
      const work = (name: string): Promise<void> => {
        const call = calls.get(name) ?? 0
        calls.set(name, call + 1)
        const own = schedules[parts.findIndex((part) => part.name === name)]!
        return turns(own[call % own.length]!)
      }
      const history = await liveTogether({ ...transport, url: '', fetch: transport.sim.fetch }, work)
      histories.add(history.join('\n'))
      expect(histories.size).toBe(1)
    }),
    { numRuns: 25 },
  )
})

it('is settled: when an advance is over, everybody it woke has been answered', async () => {
  const delays = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(delays, fc.nat({ max: 25_000 }), async (all, span) => {
      const rules = all.map((delay, index) => ({
        match: { op: 'video.poll' as const },
        on: index + 1,
        delay,
      }))
      await using transport = open({ clock: { mode: 'manual', start }, rules })
      const id = await submitVideo(transport)
      let answered = 0
      for (const _ of all)
        void pollVideo(transport, id).then(
          () => answered++,
          () => {},
        )
      await turns(2)
      await transport.sim.clock.advance(span)
      const due = all.filter((delay) => delay <= span).length
      const polls = transport.sim.journal({ operation: 'video.poll' })
      expect(polls.filter(({ outcome }) => outcome === 'completed')).toHaveLength(due)
      await turns(2)
      expect(answered).toBe(due)
    }),
    { numRuns: 25 },
  )
})

it('is isolated: no namespace moves another’s clock, or wakes who waits there', async () => {
  const name = fc.constantFrom('alice', 'bob', 'carol')
  const step = fc.tuple(name, fc.constantFrom('advance', 'poll', 'hold', 'sleep'), fc.nat({ max: 60_000 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      await using transport = open({ clock: { mode: 'auto', start } })
      const clocks = new Map(
        ['alice', 'bob', 'carol'].map((each) => [each, transport.sim.namespace(each).clock]),
      )
      const standing = (except: string): unknown[] =>
        [...clocks]
          .filter(([each]) => each !== except)
          .map(([, clock]) => {
            const { now, waiters, holds, participants } = clock.status()
            return [now, waiters, holds.length, participants]
          })
      for (const [who, what, ms] of steps) {
        const before = standing(who)
        const clock = clocks.get(who)!
        if (what === 'advance') await clock.advance(ms)
        if (what === 'hold') clock.hold('a client')
        if (what === 'sleep') void clock.sleep(ms, { as: who })
        if (what === 'poll') {
          const authorization = `Bearer sk-sim-${who}`
          await pollVideo(transport, await submitVideo(transport, {}, { authorization }), { authorization })
        }
        await turns()
        expect(standing(who)).toEqual(before)
      }
    }),
    { numRuns: 25 },
  )
})

it('is bounded: by itself time goes to the last who waits, and never beyond its limit', async () => {
  const waits = fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(waits, fc.integer({ min: 1, max: 120_000 }), async (durations, limitMs) => {
      const clock = new Clock({ mode: 'auto', start: 0, limitMs })
      const woken = park(clock, durations)
      clock.wait(Infinity).catch(() => {})
      await turns(2 * durations.length + 8)
      const within = durations.filter((duration) => duration <= limitMs)
      expect(woken.map(([now]) => now)).toEqual(within.toSorted((one, other) => one - other))
      expect(clock.now()).toBe(Math.max(0, ...within))
      expect(clock.status().stuck?.outcome).toBe(within.length < durations.length ? 'limit' : undefined)
      clock.close()
      expect(clock.now()).toBeLessThan(latestInstant)
    }),
    { numRuns: 40 },
  )
})

it('is replayable: the same events give the same tasks', async () => {
  const step = fc.oneof(
    fc.tuple(fc.constant('submit'), fc.nat({ max: 3 })),
    fc.tuple(fc.constant('advance'), fc.nat({ max: 20_000 })),
    fc.tuple(fc.constant('fail'), fc.nat({ max: 5 })),
    fc.tuple(fc.constant('poll'), fc.nat({ max: 5 })),
    fc.tuple(fc.constant('clear'), fc.constant(0)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      await using transport = open({ clock: { mode: 'auto', start } })
      const log: SimulatorEvent[] = []
      transport.sim.core.events.subscribe((event) => log.push(event))
      for (const [what, value] of steps) {
        const ids = transport.sim.tasks().map(({ id }) => id)
        const id = ids[value % Math.max(1, ids.length)]
        if (what === 'submit') await submitVideo(transport, { prompt: `kite ${value}` })
        if (what === 'advance') await transport.sim.clock.advance(value)
        if (what === 'clear') transport.sim.clear()
        if (what === 'poll' && id !== undefined) await pollVideo(transport, id)
        if (what === 'fail' && id !== undefined && !isOver(transport, id)) {
          transport.sim.transition(id, { status: 'FAILURE', reason: 'the power went out' })
        }
      }
      const replayed = new TaskStore([videoLifecycle, drawingLifecycle], new EventLog())
      for (const event of JSON.parse(JSON.stringify(log)) as SimulatorEvent[]) replayed.apply(event)
      const lives = (store: TaskStore): unknown[] =>
        store.list('default').map(({ record, amendments, timeline }) => ({ record, amendments, timeline }))
      expect(lives(replayed)).toEqual(lives(transport.sim.core.tasks))
      const moves = log.flatMap((event) => (event.type === 'clock.moved' ? [event.at] : []))
      expect(moves.at(-1) ?? start).toBe(transport.sim.clock.now())
    }),
    { numRuns: 25 },
  )
})

function isOver({ sim }: Transport, id: string): boolean {
  return ['SUCCESS', 'FAILURE'].includes(sim.task(id).status)
}
