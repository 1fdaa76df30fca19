import { describe, expect, it, vi } from 'vitest'
import { hostTimers } from '../../../src/engine/clock/timers/host-timers.ts'
import { SearchInterruptedError, type ClientRun, type RunClient } from '../../../src/judge/explore/index.ts'
import { RunGroup } from '../../../src/judge/explore/run-group.ts'
import type { JournalEntry } from '../../../src/index.ts'

const runOf = (...exchanges: Partial<JournalEntry>[]): ClientRun => ({ exchanges }) as unknown as ClientRun
const scenario = { version: 1 } as const
/** Lets all promises that can settle do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('passes on the parameters of a run, and returns it', async () => {
  const requests: unknown[] = []
  const run = runOf()
  const group = new RunGroup(async (...request) => (requests.push(request), run))
  expect(
    await group.run(scenario, { injected: '503', maxVirtualMs: 7, isRepetition: true, hasHung: true }),
  ).toBe(run)
  expect(await group.run(scenario)).toBe(run)
  const usual = { onIdle: expect.any(Function) as unknown, signal: expect.any(AbortSignal) as unknown }
  expect(requests).toStrictEqual([
    [scenario, { ...usual, maxVirtualMs: 7, isRepetition: true, hasHung: true }],
    [scenario, { ...usual, maxVirtualMs: Infinity }],
  ])
})

describe('an error', () => {
  const failing = new RunGroup(() => Promise.reject(new Error('no port')))

  it('names what was injected, and has a cause', async () => {
    await expect(failing.run(scenario, { injected: '503 @ video.poll' })).rejects.toMatchObject({
      message: 'Failed to explore "503 @ video.poll": no port',
      cause: { message: 'no port' },
    })
    await expect(failing.run(scenario)).rejects.toThrow(/^no port$/)
  })

  it('of the definition of an API ends the search', async () => {
    const internalError = 'The definition of the API acme failed: reply of acme.get: state is undefined'
    const broken = new RunGroup(async () => runOf({}, { internalError }))
    const other = new RunGroup(async () => runOf({ internalError: 'TypeError: x is undefined' }))
    const [run] = await Promise.allSettled([broken.run(scenario)])
    expect([run!.status === 'rejected' ? String(run!.reason) : 'passed']).toEqual([
      'Error: The definition of the API acme failed: reply of acme.get: state is undefined. Correct the file that defines the API, and explore again.',
    ])
    expect(await other.run(scenario)).toBeDefined()
  })

  it('has a name of its own if the search was interrupted', () => {
    expect(String(new SearchInterruptedError('too early'))).toBe('SearchInterruptedError: too early')
  })
})

describe('an interrupt', () => {
  it('aborts the signals of the runs, and leaves their results out', async () => {
    const interrupt = new AbortController()
    const signals: AbortSignal[] = []
    const client: RunClient = (_, { signal }) => {
      signals.push(signal)
      return new Promise((resolve, reject) =>
        signal.addEventListener('abort', () =>
          signals.length > 1 ? resolve(runOf()) : reject(new Error('aborted')),
        ),
      )
    }
    const group = new RunGroup(client, interrupt.signal)
    const runs = [group.run(scenario), group.run(scenario)]
    interrupt.abort()
    expect(await Promise.all(runs)).toEqual([undefined, undefined])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(await group.run(scenario)).toBeUndefined()
    expect(signals).toHaveLength(2)
  })

  it('does not reach a group that is closed', async () => {
    const interrupt = new AbortController()
    const group = new RunGroup(async () => runOf(), interrupt.signal)
    group.close()
    interrupt.abort()
    expect(await group.run(scenario)).toBeDefined()
  })

  it('abandons a run that takes ten seconds', async () => {
    const timers: number[] = []
    vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs) => {
      timers.push(delayMs ?? 0)
      queueMicrotask(() => ring())
      return undefined as never
    })
    const cleared = vi.spyOn(hostTimers, 'clearTimeout')
    const interrupt = new AbortController()
    const group = new RunGroup(() => new Promise(() => {}), interrupt.signal)
    const run = group.run(scenario)
    interrupt.abort()
    expect(await run).toBeUndefined()
    expect(timers).toEqual([10_000])
    expect(cleared).toHaveBeenCalledTimes(1)
    vi.restoreAllMocks()
  })
})

describe('the work on a list', () => {
  const group = (): RunGroup => new RunGroup(async () => runOf())
  const numbers = Array.from({ length: 6 }, (_, index) => index)

  /** Work that ends when the test says so, with the items that have begun. */
  function heldWork() {
    const begun: number[] = []
    const ends = new Map<number, (result?: string) => void>()
    const idle = new Map<number, () => void>()
    const work = (item: number, onIdle: () => void): Promise<string | undefined> => {
      begun.push(item)
      idle.set(item, onIdle)
      return new Promise((resolve) => ends.set(item, resolve))
    }
    return { begun, ends, idle, work }
  }

  it('is done by several at a time, and its results are in the order of the list', async () => {
    const { begun, ends, work } = heldWork()
    const all = group().runInOrder(numbers, { jobs: 2 }, work)
    for (const [at, item] of [1, 0, 3, 2, 5, 4].entries()) {
      await settle()
      expect(begun).toHaveLength(Math.min(6, at + 2))
      ends.get(item)!(item === 3 ? undefined : `result ${item}`)
    }
    expect(await all).toEqual(['result 0', 'result 1', 'result 2', 'result 4', 'result 5'])
  })

  it('is done by one at least', async () => {
    expect(await group().runInOrder(numbers, { jobs: 0 }, async (item) => item)).toEqual(numbers)
    expect(await group().runInOrder([], { jobs: 3 }, async (item) => item)).toEqual([])
  })

  it('begins another item while one is idle, once for each', async () => {
    const { begun, ends, idle, work } = heldWork()
    const all = group().runInOrder(numbers, { jobs: 1 }, work)
    await settle()
    expect(begun).toEqual([0])
    idle.get(0)!()
    idle.get(0)!()
    await settle()
    expect(begun).toEqual([0, 1])
    ends.get(0)!('a')
    await settle()
    expect(begun).toEqual([0, 1])
    for (const item of numbers.slice(1)) {
      ends.get(item)!('b')
      await settle()
    }
    expect(await all).toEqual(['a', 'b', 'b', 'b', 'b', 'b'])
  })

  it('has at most 24 idle items', async () => {
    const { begun, ends, idle, work } = heldWork()
    const many = Array.from({ length: 40 }, (_, index) => index)
    const all = group().runInOrder(many, { jobs: 2 }, work)
    for (let known = 0; known < begun.length; known++) {
      idle.get(begun[known]!)!()
      await settle()
    }
    expect(begun).toHaveLength(26)
    for (let known = 0; known < begun.length; known++) {
      ends.get(begun[known]!)!('done')
      await settle()
    }
    expect(await all).toHaveLength(40)
  })

  it('ends early when it is over, and at an error after what has begun', async () => {
    let left = 3
    expect(
      await group().runInOrder(numbers, { jobs: 1, isOver: () => left-- === 0 }, async (item) => item),
    ).toEqual([0, 1, 2])
    const { begun, ends, work } = heldWork()
    const failing = group().runInOrder(numbers, { jobs: 2 }, async (item, onIdle) => {
      if (item === 1) throw new Error(`no port for ${item}`)
      return work(item, onIdle)
    })
    let hasEnded = false
    failing.catch(() => (hasEnded = true))
    await settle()
    expect([begun, hasEnded]).toEqual([[0], false])
    ends.get(0)!('done')
    await expect(failing).rejects.toThrow('no port for 1')
    expect(begun).toEqual([0])
  })
})
