import { afterEach, expect, it, vi } from 'vitest'
import { latestInstant } from '../../src/engine/clock/clock-settings.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { turns } from '../support/turns.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.resetModules()
})

const noon = Date.UTC(2031, 5, 1, 12)

it('follows a faked Date, and wakes who waits with the fakes, in order with the client’s own timers', async () => {
  vi.useFakeTimers({ now: noon })
  const clock = new Clock({ mode: 'host' })
  const seen: [string, number][] = []
  setTimeout(() => seen.push(['client', Date.now() - noon]), 4_000)
  void clock.wait(3_000).then(() => seen.push(['early', clock.now() - noon]))
  void clock.wait(5_000).then(() => seen.push(['late', clock.now() - noon]))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen).toEqual([
    ['early', 3_000],
    ['client', 4_000],
    ['late', 5_000],
  ])
  expect(clock.now()).toBe(noon + 10_000)
  clock.close()
})

it('goes from timer to timer by itself where the fakes do', async () => {
  vi.useFakeTimers({ now: noon })
  vi.setTimerTickMode('nextTimerAsync')
  const clock = new Clock({ mode: 'host' })
  await clock.sleep(180_000)
  expect(clock.now()).toBe(noon + 180_000)
  clock.close()
})

it('follows a Date that alone was faked', async () => {
  const clock = new Clock({ mode: 'host' })
  const waiting = clock.wait(3_600_000)
  vi.setSystemTime(Date.now() + 3_600_000)
  await waiting
  clock.close()
})

it('loses no waiter when the timers are exchanged meanwhile', async () => {
  vi.useFakeTimers({ now: Date.now() })
  const clock = new Clock({ mode: 'host' })
  const waiting = clock.wait(5)
  vi.useRealTimers()
  await waiting
  clock.close()
})

it('never goes back with a Date that does, and goes on from where it stood', async () => {
  vi.useFakeTimers({ now: noon })
  const clock = new Clock({ mode: 'host' })
  vi.setSystemTime(noon - 3_600_000)
  expect(clock.now()).toBe(noon)
  clock.setMode('host')
  const waiting = clock.wait(1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  await waiting
  expect(clock.now()).toBe(noon + 1_000)
  clock.close()
})

it('says that the Date must be advanced, not the clock', async () => {
  const clock = new Clock({ mode: 'host' })
  await expect(clock.advance(1_000)).rejects.toThrow('in mode host time is the Date of this process')
  clock.close()
})

it('refuses to start at an instant of its own, and to go back to the Date', () => {
  expect(() => new Clock({ mode: 'host', start: 0 })).toThrow('Leave start out')
  const ahead = new Clock({ mode: 'manual', start: Date.UTC(2090, 0, 1) })
  expect(() => ahead.setMode('host')).toThrow('time never moves back')
  expect(ahead.mode).toBe('manual')
  const behind = new Clock({ mode: 'manual', start: 0 })
  behind.setMode('host')
  expect(Math.abs(behind.now() - Date.now())).toBeLessThan(1_000)
  behind.close()
})

it('says so where timers are faked and the Date is not, rather than wait for two times at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = new Clock({ mode: 'host' })
  await expect(clock.wait(1_000)).rejects.toThrow('the timers of this process are faked and its Date is not')
  clock.close()
})

it('says so where timers were faked before it was imported, rather than hang', async () => {
  vi.useFakeTimers({ now: noon })
  vi.resetModules()
  const late = await import('../../src/engine/clock/clock.ts')
  for (const mode of ['auto', 'manual', 'real', 'scaled', 'host'] as const) {
    expect(() => new late.Clock({ mode })).toThrow(
      'setTimeout and setImmediate of this process were faked before greenroom was imported, so mode ' +
        `${mode} would hang. Import greenroom first, and fake them after that.`,
    )
  }
})

it('takes a Date that alone was faked before the import for no obstacle', async () => {
  vi.setSystemTime(noon)
  vi.resetModules()
  const late = await import('../../src/engine/clock/clock.ts')
  const clock = new late.Clock({ mode: 'auto', start: 0 })
  expect(await clock.sleep(1_000)).toBe(1_000)
})

it('keeps every other mode on the real timers while they are faked', async () => {
  vi.useFakeTimers({ now: noon })
  const clock = new Clock({ mode: 'real', start: 0 })
  clock.wait(1).catch(() => {})
  const auto = new Clock({ mode: 'auto', start: 0, participants: 1 })
  expect(await auto.sleep(10_000)).toBe(10_000)
  vi.advanceTimersByTime(3_600_000)
  await turns()
  expect(clock.now()).toBeLessThan(3_600_000)
  clock.close()
})

it('follows a Date at the very end of time, and none after it', () => {
  vi.useFakeTimers({ now: latestInstant })
  const clock = new Clock({ mode: 'manual', start: latestInstant })
  clock.setMode('host')
  expect([clock.mode, clock.now()]).toEqual(['host', latestInstant])
  clock.close()
  vi.setSystemTime(latestInstant + 1)
  const other = new Clock({ mode: 'manual', start: latestInstant })
  expect(() => other.setMode('host')).toThrow(
    "Failed to set the clock: the Date of this process, 9999-12-31T23:59:59.001Z, lies before the clock's " +
      '9999-12-31T23:59:59.000Z, and time never moves back. Make the simulator in mode host from the beginning.',
  )
})

it('refuses deadlines, too, where timers are faked and the Date is not', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = new Clock({ mode: 'host' })
  expect(() => clock.deadline(1_000)).toThrow(
    'Failed to wait on the clock: the timers of this process are faked and its Date is not, so in mode host the two ' +
      "drift apart. Fake both, as vi.useFakeTimers() does by default, or use clock mode 'auto'.",
  )
  clock.setMode('auto')
  clock.deadline(1_000).end()
  clock.close()
})
