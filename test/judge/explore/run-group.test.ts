import { getEventListeners } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { hostTimers } from '../../../src/engine/clock/timers/host-timers.ts'
import { explore } from '../../../src/index.ts'
import { explore as search, type RunClient } from '../../../src/judge/explore/index.ts'
import { inProcess } from './in-process.ts'
import { makeVideo } from './planted/video.ts'

afterEach(() => void vi.restoreAllMocks())

const good = inProcess((gateway) => makeVideo('a kite', gateway))

/** Plays the runs without a fault, then one run that breaks while the others never end by themselves. */
function breakOneRun(others: (signal: AbortSignal) => Promise<never>) {
  const signals: AbortSignal[] = []
  const run: RunClient = async (scenario, options) => {
    if (scenario.name === 'baseline') return good(scenario, options)
    if (signals.push(options.signal) < 3) return others(options.signal)
    throw new Error('the port is taken')
  }
  return { run, signals }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

it('ends all runs when one can not be made, and says what was injected', async () => {
  const { run, signals } = breakOneRun(untilAborted)
  await expect(search(run, { jobs: 3 })).rejects.toThrow(/^Failed to explore "hang @ .*": the port is taken$/)
  expect(signals).toHaveLength(3)
  expect(signals.slice(0, 2).every(({ aborted }) => aborted)).toBe(true)
})

it('does not wait for runs that ignore their signal', async () => {
  const { setTimeout } = hostTimers
  vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs) =>
    setTimeout(ring, delayMs === 10_000 ? 0 : delayMs),
  )
  const { run } = breakOneRun(() => new Promise(() => {}))
  await expect(search(run, { jobs: 3 })).rejects.toThrow('the port is taken')
})

it('passes on an error of the baseline run as it is', async () => {
  const missing = new TypeError('there is no such program')
  await expect(search(() => Promise.reject(missing))).rejects.toBe(missing)
})

it('gives up at an interrupt during the baseline run', async () => {
  const interrupt = new AbortController()
  const exploring = search((_, { signal }) => untilAborted(signal), { signal: interrupt.signal })
  interrupt.abort()
  await expect(exploring).rejects.toThrow('Interrupted before the client had run without a fault')
  await expect(search(good, { signal: interrupt.signal })).rejects.toThrow('Interrupted before')
})

it('listens to the interrupt once, however many runs there are', async () => {
  const { signal } = new AbortController()
  const listeners: number[] = []
  const run: RunClient = (...request) => {
    listeners.push(getEventListeners(signal, 'abort').length)
    return good(...request)
  }
  await search(run, { jobs: 16, signal, isSelected: ({ injection }) => injection.family === 'rate limit' })
  expect(new Set(listeners)).toEqual(new Set([1]))
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('explores with many jobs without a warning of Node', async () => {
  const warnings: Error[] = []
  const listener = (warning: Error): number => warnings.push(warning)
  process.on('warning', listener)
  try {
    await explore((gateway) => makeVideo('a kite', gateway), { jobs: 20, only: ['rate limit', 'network'] })
    await new Promise(setImmediate)
  } finally {
    process.off('warning', listener)
  }
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})
