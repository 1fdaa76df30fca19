import { expect, it, onTestFinished, vi } from 'vitest'
import type { ClockStatus } from '../../src/engine/clock/clock-settings.ts'
import { createSimulator, type JournalEntry } from '../../src/index.ts'
import { explainTimeout, RealSleep } from '../../src/vitest/timeout.ts'

/** A client whose requests take `durationMs` and come after a pause. */
function client() {
  let elapsedMs = 0
  const { journal } = createSimulator({ cacheDir: false }).core.namespaces.get('default')
  const sleep = new RealSleep(journal, () => elapsedMs)
  const request = (pauseMs: number, durationMs = 0): void => {
    elapsedMs += pauseMs
    const entry = { number: journal.nextNumber } as JournalEntry
    journal.append(entry)
    elapsedMs += durationMs
    journal.settled(entry)
  }
  return { sleep, request, pass: (ms: number) => (elapsedMs += ms), journal }
}

const advice =
  "give it gateway.clock.sleep, or use mode host: clock: { mode: 'host' } with vi.useFakeTimers() and " +
  "vi.setTimerTickMode('nextTimerAsync')."

it('names the requests between which a client slept', () => {
  const { sleep, request } = client()
  request(0)
  request(10)
  request(5_000)
  expect(sleep.explain('auto')).toBe(`your client slept 5 s of real time between #2 and #3: ${advice}`)
  expect(sleep.explain('manual')).toContain('slept 5 s')
})

it('names the longest of several pauses, and their sum', () => {
  const { sleep, request, pass } = client()
  request(0)
  request(1_000)
  request(1_500)
  pass(2_040)
  expect(sleep.explain('auto')).toBe(
    `your client slept 2 s of real time after #3, and 4.5 s in all: ${advice}`,
  )
})

it('advises fake timers in mode host, and nothing where real time is meant', () => {
  const { sleep, request, pass } = client()
  request(0)
  pass(5_000)
  expect(sleep.explain('host')).toContain('after #1: in mode host, fake its timers by vi.useFakeTimers()')
  expect(sleep.explain('real')).toBeUndefined()
  expect(sleep.explain('scaled')).toBeUndefined()
})

it('takes neither a slow response nor the work of a test for sleep', () => {
  const { sleep, request, pass, journal } = client()
  pass(5_000)
  expect(sleep.explain('auto')).toBeUndefined()
  request(0, 5_000)
  request(90, 5_000)
  request(1_000, 0)
  expect(sleep.explain('auto')).toBeUndefined()
  journal.append({ number: 4 } as JournalEntry)
  pass(60_000)
  expect(sleep.explain('auto')).toBeUndefined()
})

it('says that fake timers wait only if the client has been at rest, not of a slow test that advances them', () => {
  const { sleep, request, pass, journal } = client()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  setInterval(() => {}, 5_000)
  const status = { mode: 'host', why: 'waiting', stuck: false, waiting: [] } as unknown as ClockStatus
  request(0, 1_600)
  request(400, 2_600)
  pass(400)
  expect(explainTimeout(status, sleep)).toBeUndefined()
  pass(5_000)
  expect(explainTimeout(status, sleep)).toMatch(/^1 fake timer waits to be advanced, and in mode host/)
  journal.append({ number: 3 } as JournalEntry)
  const delayed = { ...status, waiting: ['a delayed answer (#3)'] }
  expect(explainTimeout(delayed, sleep)).toContain('waits with them (a delayed answer (#3))')
})
