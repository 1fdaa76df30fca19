import { expect, it } from 'vitest'
import type { Stuck } from '../../src/engine/clock/clock-settings.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

function sharedClock() {
  const host = fakeHost()
  const reports: Stuck[] = []
  const requests = { started: 0, open: 0 }
  const clock = new Clock({ mode: 'auto', start: 0, requests, onStuck: (stuck) => reports.push(stuck) }, host)
  clock.auto.participants.join('a')
  clock.auto.participants.join('b')
  return { host, clock, reports, requests }
}

it('reports a participant that does not come back within five seconds of real time', async () => {
  const { host, clock, reports } = sharedClock()
  const slept = clock.sleep(1_000, { as: 'a' })
  await turns()
  host.pass(4_999)
  expect(reports).toEqual([])
  host.pass(1)
  expect(reports).toMatchObject([
    {
      outcome: 'absent',
      why: 'auto: waiting for participant b (not seen yet); 1 of 2 parked: a until 00:00:01',
    },
  ])
  expect(clock.status().stuck).toMatchObject({ outcome: 'absent' })
  clock.auto.participants.leave('b')
  expect(await slept).toBe(1_000)
  expect(clock.status().stuck).toBeNull()
  host.pass(60_000)
  expect(reports).toHaveLength(1)
})

it('reports no participant while no client waits on the clock', async () => {
  const { host, clock, reports } = sharedClock()
  await turns()
  host.pass(60_000)
  expect(reports).toEqual([])
  clock.close()
})

it('takes a request for a sign of life, and a response that is being made', async () => {
  const { host, clock, reports, requests } = sharedClock()
  const slept = clock.sleep(1_000, { as: 'a' })
  await turns()
  host.pass(4_000)
  requests.started++
  host.pass(1_000)
  requests.open++
  host.pass(5_000)
  host.pass(5_000)
  expect(reports).toEqual([])
  requests.open--
  host.pass(5_000)
  expect(reports).toHaveLength(1)
  clock.close()
  await slept
})

it('takes a response that waits on the clock for no sign of life', async () => {
  const { host, clock, reports, requests } = sharedClock()
  requests.open = 1
  const waited = clock.wait(1_000, undefined, { kind: 'answer', name: 'a', number: 1 }).catch(() => {})
  await turns()
  host.pass(5_000)
  expect(reports).toHaveLength(1)
  clock.close()
  await waited
})

it.each(['manual', 'real'] as const)('reports no participant in mode %s', async (mode) => {
  const { host, clock, reports } = sharedClock()
  const slept = clock.sleep(1_000_000, { as: 'a' })
  await turns()
  clock.setMode(mode)
  host.pass(60_000)
  expect(reports).toEqual([])
  clock.close()
  await slept
})

it('reports nothing after the clock was closed', async () => {
  const { host, clock, reports } = sharedClock()
  const slept = clock.sleep(1_000, { as: 'a' })
  await turns()
  clock.close()
  await slept
  host.pass(60_000)
  expect(reports).toEqual([])
})
