import { expect, it, onTestFinished, vi } from 'vitest'
import type { Child } from '../../src/cli/run/child.ts'
import { startCrashing, type CrashingCommand } from '../../src/cli/run/crashes.ts'
import { hostTimers } from '../../src/engine/clock/timers/host-timers.ts'
import { createSimulator, type EmbeddedSimulator } from '../../src/index.ts'
import { turns } from '../support/turns.ts'

/** A process of the command, in place of a real one. */
interface Life {
  /** Sends a request, whose response may never come. */
  readonly send: () => void
  /** Takes part in the clock until it is killed. */
  readonly join: () => void
  readonly exit: (code: number) => void
}

type Crash = CrashingCommand['crashes'][number]

const list: Crash = { op: 'models.list', nth: 1 }
const killed = 137

/** Plays the lives of a command one after the other. */
async function play(sim: EmbeddedSimulator, crashes: readonly Crash[], ...lives: ((life: Life) => void)[]) {
  const { clock } = sim.core.namespaces.get('default')
  const starts: number[] = []
  const start = async (): Promise<Child> => {
    let exit = (_code: number): void => {}
    let leave = (): void => {}
    const ended = new Promise<number>((resolve) => (exit = resolve))
    const end = async (): Promise<void> => {
      leave()
      exit(killed)
    }
    const life: Life = {
      send: () => void sim.fetch('https://gateway.example/v1/models').catch(() => {}),
      join: () => {
        const identity = { pid: process.pid, name: 'client', thread: 0 }
        const port = { identity, send: () => {}, seed: '1' }
        leave = clock.agreement.join(port, { obstacle: () => undefined, inFlight: () => undefined }).leave
      },
      exit: (code) => {
        leave()
        exit(code)
      },
    }
    const begin = lives[starts.length]!
    starts.push(clock.now())
    setImmediate(() => begin(life))
    const output = () => ({ text: `${starts.length};`, bytes: 2, isWhole: true })
    return { pid: 1, ended, output, errors: output, end, kill: end }
  }
  const onRestart = vi.fn()
  const client = await startCrashing({
    server: { simulator: sim.core, follow: () => () => {} },
    crashes,
    start,
    onRestart,
  })
  return { client, starts, onRestart }
}

function openSimulator(): EmbeddedSimulator {
  const sim = createSimulator({ clock: { mode: 'auto', start: 0 } })
  onTestFinished(() => sim.close())
  return sim
}

/** How often the command looks at a process. */
const checkMs = 2

/** The timers of the wait for a process that have neither rung nor been cleared. */
function watchTimers(): Set<unknown> {
  const { setTimeout, clearTimeout } = hostTimers
  const waiting = new Set<unknown>()
  vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs) => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      ring()
    }, delayMs)
    // Other tests in this process may leave timers, such as those of a stream of events.
    if (delayMs === checkMs) waiting.add(timer)
    return timer
  })
  vi.spyOn(hostTimers, 'clearTimeout').mockImplementation((timer) => {
    waiting.delete(timer)
    clearTimeout(timer)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return waiting
}

it('starts a command again after each of two crashes in quick succession', async () => {
  const sim = openSimulator()
  const crashes = [list, { ...list, nth: 2 }]
  const { client, starts, onRestart } = await play(
    sim,
    crashes,
    ({ send }) => send(),
    ({ send }) => send(),
    ({ exit }) => exit(7),
  )
  expect(await client.ended).toBe(7)
  expect(starts).toEqual([0, 0, 0])
  expect(onRestart.mock.calls).toEqual(crashes.map((crash) => [crash]))
  expect(client.plan.past).toMatchObject(crashes.map((crash) => ({ ...crash, at: 0 })))
  expect(client.output().text).toBe('1;2;3;')
  await expect.poll(() => sim.clock.status().why).not.toContain('request')
})

it('starts a command again that crashes before it takes part in the clock, and holds time until it does', async () => {
  const sim = openSimulator()
  let last: Life | undefined
  const { client, starts } = await play(
    sim,
    [list, { ...list, nth: 2 }],
    ({ join, send }) => {
      join()
      send()
    },
    ({ send }) => send(),
    (life) => (last = life),
  )
  await expect.poll(() => last).toBeDefined()
  await turns(20)
  expect(sim.clock.status()).toMatchObject({ now: 0, why: expect.stringContaining('request') })
  last!.join()
  await expect.poll(() => sim.clock.status().why).toContain('process')
  last!.exit(0)
  expect(await client.ended).toBe(0)
  expect(starts).toHaveLength(3)
})

it('waits no longer for a process that ends before it takes part in the clock', async () => {
  const timers = watchTimers()
  const { client } = await play(
    openSimulator(),
    [list],
    ({ join, send }) => {
      join()
      send()
    },
    ({ exit }) => exit(0),
  )
  expect(await client.ended).toBe(0)
  await expect.poll(() => timers.size).toBe(0)
})
