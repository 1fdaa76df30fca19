import { expect, it } from 'vitest'
import type { AgentMessage, Statement } from '../../src/engine/clock/agents/agent.ts'
import type { Surroundings } from '../../src/engine/clock/agents/agents.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { fakeHost, passInSteps, type FakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

const patienceMs = 5_000

interface WatchedClock {
  readonly clock: Clock
  readonly host: FakeHost
  readonly state: (more: Partial<Statement>) => void
}

/** A clock with one process, which has the id 4711. */
function watchedClock(surroundings: Partial<Surroundings>): WatchedClock {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  const messages: AgentMessage[] = []
  const identity = { pid: 4_711, name: 'client.py', thread: 0 }
  const port = { identity, send: (message: AgentMessage) => void messages.push(message), seed: '1' }
  const all = { obstacle: () => undefined, inFlight: () => undefined, ...surroundings }
  const { agent } = clock.agreement.join(port, all)
  return { clock, host, state: (more) => agent.state({ seen: messages.at(-1)!.n, ...more }) }
}

it('reports a process that sleeps for seconds without a statement, with the line of its latest request', async () => {
  const { clock, host, state } = watchedClock({ processorTime: () => 30 })
  state({ connections: [[1, 2, 0, 0, 0, 1, 'client.py:42']], set: [[1, 1_000]] })
  await turns()
  passInSteps(host, patienceMs - 500, 250)
  expect(clock.status().stuck).toBe(null)
  passInSteps(host, 1_000, 250)
  expect(clock.status().stuck).toMatchObject({
    outcome: 'outside',
    why:
      'auto: waiting for the processes that take part: process 4711 (client.py) waits in a call that virtual time does not reach, ' +
      'such as one of a C library, after its request of client.py:42',
  })
  await turns()
  expect(clock.status().stuck?.outcome).toBe('outside')
})

it('forgets the report when the process states that it waits on the clock', async () => {
  const { clock, host, state } = watchedClock({ processorTime: () => 30 })
  passInSteps(host, 2 * patienceMs, 250)
  expect(clock.status().stuck?.outcome).toBe('outside')
  state({ set: [[1, 1_000]] })
  await turns()
  expect([clock.status().stuck, clock.now()]).toEqual([null, 1_000])
})

it('reports no process that computes, runs, or is stopped', () => {
  let used = 0
  const computing = watchedClock({ processorTime: () => (used += 5) })
  const stopped = watchedClock({ processorTime: () => undefined })
  passInSteps(computing.host, 2 * patienceMs, 250)
  passInSteps(stopped.host, 2 * patienceMs, 250)
  expect([computing.clock.status().stuck, stopped.clock.status().stuck]).toEqual([null, null])
})

it('is patient for a minute where the system does not show what a process does', () => {
  const { clock, host } = watchedClock({})
  passInSteps(host, 55_000, 250)
  expect(clock.status().stuck).toBe(null)
  passInSteps(host, 10_000, 250)
  expect(clock.status().stuck?.outcome).toBe('outside')
})

it('reports a service that takes no part and does not answer, but not work of the simulator', async () => {
  let why: { why: string; isOwn?: boolean } = { why: 'the simulator is at work', isOwn: true }
  const { clock, host, state } = watchedClock({ obstacle: () => why, processorTime: () => 0 })
  state({ set: [[1, 1_000]] })
  await turns()
  passInSteps(host, 2 * patienceMs, 250)
  expect(clock.status().stuck).toBe(null)
  why = { why: 'a response of port 3128 has not arrived' }
  passInSteps(host, 2 * patienceMs, 250)
  expect(clock.status().stuck).toMatchObject({
    outcome: 'outside',
    why: expect.stringContaining('3128') as string,
  })
})

it('reports nothing when time is advanced by hand', () => {
  const { clock, host } = watchedClock({ processorTime: () => 0 })
  clock.setMode('manual')
  passInSteps(host, 2 * patienceMs, 250)
  expect(clock.status().stuck).toBe(null)
})
