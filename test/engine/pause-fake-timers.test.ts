import { afterEach, expect, it, vi } from 'vitest'
import { withFakeTimersPaused } from '../../src/engine/clock/timers/fake-timers.ts'

afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['host', 1],
  ['auto', 0],
] as const)(
  'keeps fake timers that advance by themselves busy in mode %s: %i timers',
  async (mode, timers) => {
    vi.useFakeTimers()
    vi.setTimerTickMode('nextTimerAsync')
    let done = (): void => {}
    const work = new Promise<void>((resolve) => (done = resolve))
    const paused = withFakeTimersPaused({ mode }, work)
    expect(vi.getTimerCount()).toBe(timers)
    done()
    await paused
    expect(vi.getTimerCount()).toBe(0)
  },
)

it('sets no timer where fake timers wait to be advanced', async () => {
  vi.useFakeTimers()
  const paused = withFakeTimersPaused({ mode: 'host' }, Promise.resolve('done'))
  expect(vi.getTimerCount()).toBe(0)
  expect(await paused).toBe('done')
})
