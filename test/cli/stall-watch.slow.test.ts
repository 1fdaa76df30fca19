import { expect, it, onTestFinished, vi } from 'vitest'
import { watchForStall } from '../../src/cli/run/stall-watch.ts'
import { hostTimers } from '../../src/engine/clock/timers/host-timers.ts'
import { createSimulator } from '../../src/index.ts'

const graceMs = 3_000

/** Collects what is called at the end of the time that a standstill may last. */
function collectEnds(): (() => void)[] {
  const { setTimeout } = hostTimers
  const ends: (() => void)[] = []
  vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs) => {
    if (delayMs === graceMs) ends.push(ring)
    return setTimeout(ring, delayMs)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return ends
}

it('counts a run as stalled when one standstill lasts, not when another one has begun since', async () => {
  const ends = collectEnds()
  const sim = createSimulator({ clock: { mode: 'auto' } })
  onTestFinished(() => sim.close())
  const watch = watchForStall(sim.core, 60_000)
  onTestFinished(watch.stop)
  const found: string[] = []
  void watch.found.then((why) => found.push(why))
  const standStill = async (): Promise<() => void> => {
    const over = new AbortController()
    sim.clock.sleep('2d', { signal: over.signal }).catch(() => {})
    await expect.poll(() => sim.clock.status().stuck?.outcome).toBe('limit')
    return () => over.abort()
  }

  const wake = await standStill()
  wake()
  await expect.poll(() => sim.clock.status().stuck).toBe(null)
  await standStill()
  expect(ends).toHaveLength(2)
  ends[0]!()
  await Promise.resolve()
  expect(found).toEqual([])

  ends[1]!()
  await Promise.resolve()
  expect(found).toEqual([expect.stringContaining('the limit is reached')])
})

it('waits for deadlines of a client that are longer than a minute, and does not count that as its time', async () => {
  const { elapsedMs } = hostTimers
  let skippedMs = 0
  vi.spyOn(hostTimers, 'elapsedMs').mockImplementation(() => elapsedMs() + skippedMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const sim = createSimulator({
    clock: { mode: 'auto' },
    rules: [{ match: { op: 'models.list' }, fault: 'hang' }],
  })
  onTestFinished(() => sim.close())
  const [idle, back, found] = [[] as number[], [] as number[], [] as string[]]
  const watch = watchForStall(sim.core, 30_000, {
    onIdle: (patienceMs) => idle.push(patienceMs),
    onBack: (tookMs) => back.push(tookMs),
  })
  onTestFinished(watch.stop)
  void watch.found.then((why) => found.push(why))
  const waitForModels = (): AbortController => {
    const deadline = new AbortController()
    const headers = { authorization: `Bearer ${sim.key}` }
    sim.fetch('https://gateway.example/v1/models', { headers, signal: deadline.signal }).catch(() => {})
    return deadline
  }

  const deadline = waitForModels()
  await expect.poll(() => idle).toEqual([120_000])
  skippedMs += 100_000
  deadline.abort()
  await expect.poll(() => back).toEqual([expect.closeTo(100_000, -4)])
  expect(found).toEqual([])

  waitForModels()
  await expect.poll(() => idle).toHaveLength(2)
  skippedMs += 120_000
  await expect.poll(() => found).toEqual([expect.stringContaining('did not give up within 2m')])
})

/** Starts a watch of a participant whose request never gets a response, and returns what it finds. */
async function watchParticipant({ hasDeadline = false, passes = false }): Promise<{
  found: string[]
  idle: number[]
}> {
  const sim = createSimulator({
    clock: { mode: 'auto' },
    rules: [{ match: { op: 'models.list' }, fault: 'hang' }],
  })
  onTestFinished(() => sim.close())
  const [found, idle] = [[] as string[], [] as number[]]
  const watch = watchForStall(sim.core, 30_000, { onIdle: (patienceMs) => idle.push(patienceMs) })
  onTestFinished(watch.stop)
  void watch.found.then((why) => found.push(why))
  sim.clock.join('worker')
  const deadline = hasDeadline ? sim.clock.deadline('1m', { as: 'worker' }) : undefined
  if (!passes) deadline?.end()
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const headers = { authorization: `Bearer ${sim.key}`, 'x-greenroom-as': 'worker' }
  sim.fetch('https://gateway.example/v1/models', { headers, signal: left.signal }).catch(() => {})
  await expect.poll(() => sim.clock.status().stuck?.outcome).toBe('deadlock')
  return { found, idle }
}

it('waits for a time-out in real time of a client that takes part only by its sleeps', async () => {
  const ends = collectEnds()
  const { found, idle } = await watchParticipant({ hasDeadline: false })
  await expect.poll(() => idle).toEqual([120_000])
  expect([ends, found]).toEqual([[], []])
})

it('ends a run in a deadlock of participants whose deadlines are on the clock', async () => {
  const ends = collectEnds()
  const { found } = await watchParticipant({ hasDeadline: true })
  expect(ends).toHaveLength(1)
  ends[0]!()
  await Promise.resolve()
  expect(found).toEqual([expect.stringContaining('deadlock: all 1 participants are parked')])
})

it('ends a run whose program waits for a response in a C library, with what to do', async () => {
  let end = (): void => {}
  const { setTimeout } = hostTimers
  vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs) => {
    if (delayMs === 25_000) end = ring
    return setTimeout(ring, delayMs === 250 ? 1 : delayMs)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const sim = createSimulator({ clock: { mode: 'auto' } })
  onTestFinished(() => sim.close())
  const watch = watchForStall(sim.core, 60_000)
  onTestFinished(watch.stop)
  const identity = { pid: 4_711, name: 'client.py', thread: 0 }
  const surroundings = { obstacle: () => undefined, inFlight: () => undefined, processorTime: () => 0 }
  const { clock } = sim.core.namespaces.get('default')
  clock.agreement.join({ identity, send: () => {}, seed: '1' }, surroundings)
  void clock.agreement.takeTurn(() => undefined)
  await expect.poll(() => sim.clock.status().stuck?.outcome).toBe('outside')
  end()
  const why = await watch.found
  expect(why).toContain('process 4711 (client.py) waits in a call that virtual time does not reach')
  expect(why).toContain('Call the gateway by requests, httpx or aiohttp')
})

it('leaves a client that a busy machine stops seconds to react to a passed deadline', async () => {
  const ends = collectEnds()
  const { found } = await watchParticipant({ hasDeadline: true, passes: true })
  expect(ends).toEqual([])
  expect(found).toEqual([])
})
