import { expect, it } from 'vitest'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost } from '../support/fake-host.ts'

const answer = { kind: 'answer', number: 1 } as const

function manualClock(mode: 'manual' | 'auto' = 'manual') {
  const host = fakeHost()
  const reports: string[] = []
  const clock = new Clock({ mode, start: 0, onManualWait: (why) => reports.push(why) }, host)
  return { host, clock, reports }
}

it('reports a response that waits for a second on a manual clock, once for each standstill', async () => {
  const { host, clock, reports } = manualClock()
  const waits = [clock.wait(5_000, undefined, answer)]
  host.pass(999)
  expect(reports).toEqual([])
  host.pass(1)
  waits.push(clock.wait(7_000, undefined, { ...answer, number: 2 }))
  host.pass(60_000)
  const report =
    'manual: time moves only when it is advanced; 1 response waits: a delayed answer (#1) until 00:00:05'
  expect(reports).toEqual([report])
  expect(clock.status().why).toContain(
    '2 responses wait: a delayed answer (#1) until 00:00:05, a delayed answer (#2) until 00:00:07',
  )
  await clock.advance(5_000)
  host.pass(1_000)
  expect(reports).toEqual([report, expect.stringContaining('1 response waits: a delayed answer (#2)')])
  await clock.advance(5_000)
  await Promise.all(waits)
  expect(clock.status().why).toBe('manual: time moves only when it is advanced')
  host.pass(60_000)
  expect(reports).toHaveLength(2)
})

it('does not report a response when the clock is advanced in time', async () => {
  const { host, clock, reports } = manualClock()
  const wait = clock.wait(2_000, undefined, answer)
  for (let step = 0; step < 20; step++) {
    host.pass(900)
    await clock.advance(50)
  }
  expect(reports).toEqual([])
  await clock.advance(2_000)
  await wait
})

it('gives each response its second, also after other waits', async () => {
  const { host, clock, reports } = manualClock()
  const sleeper = clock.sleep(1_000)
  host.pass(950)
  const wait = clock.wait(5_000, undefined, answer)
  host.pass(999)
  expect(reports).toEqual([])
  host.pass(1)
  expect(reports).toHaveLength(1)
  await clock.advance(5_000)
  await Promise.all([sleeper, wait])
})

it('reports a response that a client waits for behind a sleeper', async () => {
  const { host, clock, reports } = manualClock()
  const sleeper = clock.sleep(1_000)
  host.pass(2_000)
  expect(reports).toEqual([])
  const wait = clock.wait(5_000, undefined, answer)
  host.pass(1_000)
  expect(reports).toHaveLength(1)
  await clock.advance(5_000)
  await Promise.all([sleeper, wait])
})

it.each([
  ['hangs forever', 'manual', (clock: Clock) => clock.wait(Infinity, undefined, answer)],
  ['waits on an auto clock', 'auto', (clock: Clock) => clock.wait(5_000, undefined, answer)],
] as const)('reports nothing of a response that %s', async (_, mode, wait) => {
  const { host, clock, reports } = manualClock(mode)
  const done = wait(clock).catch(() => {})
  host.pass(60_000)
  expect(reports).toEqual([])
  if (mode === 'manual') expect(clock.status().why).toBe('manual: time moves only when it is advanced')
  clock.close()
  await done
})

it('reports nothing after a client left or the mode changed', async () => {
  const { host, clock, reports } = manualClock()
  const leaving = new AbortController()
  const left = clock.wait(5_000, leaving.signal, answer)
  leaving.abort()
  await expect(left).rejects.toThrow()
  host.pass(5_000)
  const wait = clock.wait(5_000, undefined, answer)
  clock.setMode('scaled', 1_000_000)
  host.pass(5_000)
  await wait
  expect(reports).toEqual([])
})

it('reports once, however many responses wait', () => {
  const { host, clock, reports } = manualClock()
  for (const delayMs of [1_000, 2_000, 3_000]) void clock.wait(delayMs, undefined, answer)
  host.pass(60_000)
  expect(reports).toHaveLength(1)
})
