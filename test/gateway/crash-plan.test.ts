import { expect, it } from 'vitest'
import { CrashPlan, describeCrash, type Crash } from '../../src/gateway/crash-plan.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { createSimulator } from '../../src/index.ts'

it('meets all crashes that name one request when the client crashes at it', async () => {
  await using sim = createSimulator()
  const crashed: Crash[] = []
  const crashes = [
    { op: 'video.submit', nth: 1 },
    { op: 'video.*', nth: 1 },
    { op: 'video.*', nth: 2 },
  ]
  const plan = new CrashPlan(crashes, (crash) => void crashed.push(crash))
  const namespace = sim.core.namespaces.get('default')
  const arrive = (operation: string): unknown =>
    plan.arrive({ route: { operation }, clock: namespace.clock, namespace })
  expect(arrive('video.submit')).toBe('lost')
  expect(plan.pending).toEqual([{ crash: crashes[2], count: 1 }])
  plan.restart()
  plan.resume()
  expect(arrive('video.poll')).toBe('lost')
  expect(plan.pending).toEqual([])
  expect(crashed).toEqual([crashes[0], crashes[2]])
})

/** A plan, and a namespace in which operations arrive. */
function planOf(...crashes: Crash[]) {
  const clock = new Clock({ mode: 'auto', start: 5_000 }, fakeHost())
  const crashed: Crash[] = []
  const plan = new CrashPlan(crashes, (crash) => crashed.push(crash))
  const request = (operation?: string) => ({
    route: operation === undefined ? undefined : { operation },
    clock,
    namespace: { journal: { nextNumber: 7 } },
  })
  const arrive = (operation?: string): unknown => plan.arrive(request(operation))
  return { plan, clock, crashed, request, arrive }
}

it('loses the request at which the client crashes, and all others until it runs again', () => {
  const crash = { op: ['video.submit', 'mj.*'], nth: 2 }
  const { plan, crashed, arrive } = planOf(crash)
  expect([arrive('mj.imagine'), arrive('video.poll'), arrive()]).toEqual([undefined, undefined, undefined])
  expect([plan.pending, plan.isDown]).toEqual([[{ crash, count: 1 }], false])
  expect(arrive('video.submit')).toBe('lost')
  expect([plan.isDown, plan.pending, crashed]).toEqual([true, [], [crash]])
  expect(plan.past).toEqual([{ ...crash, at: 5_000, before: 7 }])
  expect([arrive('video.poll'), arrive()]).toEqual(['lost', 'lost'])
  plan.restart()
  expect([plan.isDown, arrive('video.submit')]).toEqual([false, undefined])
})

it('accepts a request before the client crashes, if the crash says so', () => {
  const crash = { op: 'video.submit', nth: 1, accepted: true }
  const { plan, crashed, request, arrive } = planOf(crash)
  expect(arrive('video.submit')).toBe(crash)
  expect([plan.isDown, crashed]).toEqual([false, []])
  plan.strike(crash, request('video.submit'))
  expect([plan.isDown, crashed, plan.past.length]).toEqual([true, [crash], 1])
})

it('lets time stand until the client goes on after its last crash', () => {
  const { plan, clock, arrive } = planOf({ op: '*', nth: 1 }, { op: '*', nth: 2 })
  arrive('a')
  expect(clock.auto.reading).toBe(1)
  plan.resume()
  expect(clock.auto.reading).toBe(1)
  plan.restart()
  arrive('b')
  expect(clock.auto.reading).toBe(2)
  plan.restart()
  plan.resume()
  expect(clock.auto.reading).toBe(0)
  plan.resume()
  expect(clock.auto.reading).toBe(0)
})

it.each([
  [{ op: 'video.poll', nth: 3 }, 'video.poll 3'],
  [{ op: ['video.poll', 'mj.*'], nth: 1, accepted: true }, 'video.poll or mj.* 1 (accepted)'],
])('describes the crash %j as %s', (crash, text) => {
  expect(describeCrash(crash)).toBe(text)
})
