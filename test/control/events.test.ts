import { setMaxListeners } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { maxReaders } from '../../src/control/events/events.ts'
import { maxBytesInTurn } from '../../src/control/events/encode-stream.ts'
import { createSimulator, type StreamEvent } from '../../src/index.ts'
import { EventStreamReader, isReady, type Message } from '../support/event-stream.ts'
import { describeTransports, describeTransportsAnd, type OpenTransport } from '../support/transports.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

async function openEvents(
  { call, sim }: OpenTransport,
  { namespace = 'default', lastEventId = '' } = {},
): Promise<EventStreamReader> {
  sim.core.control.events.batchMs = 5
  const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
  const response = await call(`/_greenroom/events?namespace=${namespace}`, { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return new EventStreamReader(response)
}

/** The entries of batches, the latest of each number. */
function entriesOf(messages: readonly Message[]): { number: number; operation: string; outcome: string }[] {
  const all = messages.flatMap(({ data }) => (data['entries'] ?? []) as { number: number }[])
  return [...new Map(all.map((entry) => [entry.number, entry])).values()] as never
}

const hasCompleted =
  (number: number) =>
  (message: Message): boolean =>
    entriesOf([message]).some((entry) => entry.number === number && entry.outcome === 'completed')

describeTransportsAnd('express')((open) => {
  it('begins with everything there is, and goes on with what changes', async () => {
    await using transport = await open({ clock: { mode: 'manual' }, seed: 7 })
    const first = await submitVideo(transport, { prompt: 'a kite' })
    await using events = await openEvents(transport)
    const snapshot = await events.until(isReady)
    expect(snapshot.map(({ event }) => event)).toEqual(['hello', 'batch', 'batch', 'ready'])
    const [hello, tasks, entries, ready] = snapshot.map(({ data }) => data)
    expect(hello).toMatchObject({
      protocol: 1,
      namespace: 'default',
      seed: '7',
      tasks: 1,
      olderTasks: 0,
      entries: 1,
    })
    expect(tasks).toMatchObject({ tasks: [{ id: first, operation: 'video.submit' }] })
    expect(entries).toMatchObject({
      entries: [{ number: 1, operation: 'video.submit', outcome: 'completed' }],
    })
    expect(ready).toMatchObject({
      clock: { mode: 'manual' },
      rules: [],
      usage: [{ tasks: 1 }],
      verdict: expect.arrayContaining([expect.objectContaining({ name: 'no-early-download' })]),
    })
    const second = await submitVideo(transport, { prompt: 'a boat' })
    const batches = await events.until(hasCompleted(2))
    expect(batches[0]!.id).toMatch(/^[0-9a-f]{8}\.\d+$/)
    expect(batches.flatMap(({ data }) => data['tasks'] ?? [])).toMatchObject([{ id: second }])
    expect(batches.at(-1)!.data['clock']).toMatchObject({ mode: 'manual' })
  })

  it('continues behind the last message that a reader has', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    let lastEventId: string
    {
      await using events = await openEvents(transport)
      await events.until(isReady)
      lastEventId = events.lastId!
    }
    const id = await submitVideo(transport)
    await pollVideo(transport, id)
    await using events = await openEvents(transport, { lastEventId })
    const [resumed] = await events.until(() => true)
    expect(resumed).toMatchObject({ event: 'resumed', data: { missed: expect.any(Number) } })
    expect(entriesOf(await events.until(hasCompleted(2)))).toHaveLength(2)
  })
})

describeTransports((open) => {
  it('begins again for a reader that comes with an id of another process, or with nonsense', async () => {
    await using transport = await open()
    for (const lastEventId of ['0a1b2c3d.4', 'x', '1', '0a1b2c3d.99999999999999999999']) {
      await using events = await openEvents(transport, { lastEventId })
      expect((await events.next())?.event).toBe('hello')
    }
  })

  it('says that tasks and exchanges were forgotten', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    await submitVideo(transport)
    await using events = await openEvents(transport)
    await events.until(isReady)
    await transport.call('/_greenroom/reset', { method: 'POST' })
    const cleared = await events.until(({ data }) => data['cleared'] === 'tasks')
    expect(cleared.map(({ data }) => data['cleared'])).toEqual(['journal', 'tasks'])
    await transport.call('/_greenroom/journal', { method: 'DELETE' })
    await events.until(({ data }) => data['cleared'] === 'journal')
  })

  it('reports rules, usage and the verdict when they have changed', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    await using events = await openEvents(transport)
    await events.until(isReady)
    const body = JSON.stringify({ id: 'busy', match: { op: 'video.submit' }, delay: '5s' })
    await transport.call('/_greenroom/rules', { method: 'POST', body })
    const added = await events.until(({ data }) => data['rules'] !== undefined)
    expect(added.at(-1)!.data).toMatchObject({ rules: [{ id: 'busy', fired: 0 }] })
    expect(added.at(-1)!.data).not.toHaveProperty('verdict')
    await transport.call('/v1/no-such-path')
    await transport.call('/_greenroom/rules/busy', { method: 'DELETE' })
    await submitVideo(transport)
    const used = await events.until(({ data }) => data['usage'] !== undefined)
    expect(used.at(-1)!.data).toMatchObject({ usage: [{ tasks: 1 }], verdict: expect.any(Array) })
  })

  it('sends the clock as soon as its next event has passed', async () => {
    await using transport = await open({ clock: { mode: 'scaled', rate: 120 } })
    await using events = await openEvents(transport)
    await events.until(isReady)
    const nextEvent = ({ data }: Message): number | null | undefined =>
      (data['clock'] as { nextEvent: number | null } | undefined)?.nextEvent
    for (let tries = 0; tries < 20; tries++) {
      const endWatch = watchHalts()
      await submitVideo(transport, { prompt: `a kite ${tries} [[queued 30s]] [[render 12s]]` })
      const first = (await events.until((message) => Boolean(nextEvent(message)))).at(-1)!
      const later = await events.until((message) => nextEvent(message) === null)
      // The states are 100 ms of real time apart, the batches 50 ms. A process that is halted longer misses one.
      if (endWatch() > 45) continue
      return expect(later.map(nextEvent)).toContain(nextEvent(first)! + 12_000)
    }
    expect.fail('the process was halted in each of 20 tries')
  })

  it('tells each reader of its own namespace only, and two readers of one the same', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    await using alice = await openEvents(transport, { namespace: 'alice' })
    await using first = await openEvents(transport, { namespace: 'bob' })
    await using second = await openEvents(transport, { namespace: 'bob' })
    for (const events of [alice, first, second]) await events.until(isReady)
    await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-bob' })
    const both = await Promise.all([first.until(hasCompleted(1)), second.until(hasCompleted(1))])
    expect(both[0]).toEqual(both[1])
    await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-alice' })
    const [, ...heard] = [undefined, ...(await alice.until(hasCompleted(1)))]
    expect(entriesOf(heard)).toMatchObject([{ number: 1, namespace: 'alice' }])
  })

  it('begins again after a reset and after a restored snapshot', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    const saved = await (await transport.call('/_greenroom/snapshot')).text()
    await using events = await openEvents(transport)
    await events.until(isReady)
    const before = events.lastId!
    transport.sim.reset()
    const [hello] = (await events.until(isReady)).filter(({ event }) => event === 'hello')
    expect(hello!.data).toMatchObject({ tasks: 0, entries: 0 })
    await transport.call('/_greenroom/snapshot', { method: 'PUT', body: saved })
    const restored = await events.until(isReady)
    expect(
      restored.flatMap(({ event, data }) => (event === 'batch' ? (data['tasks'] ?? []) : [])),
    ).toMatchObject([{ id }])
    await using other = await openEvents(transport, { lastEventId: before })
    expect((await other.next())?.event).toBe('hello')
  })

  it('ends when the simulator is closed', async () => {
    await using transport = await open()
    const events = await openEvents(transport)
    await events.until(isReady)
    const rest = events.until(() => false).catch((error: Error) => error.message)
    await transport.sim.close()
    expect(await rest).toMatch(/^The stream ended/)
  })
})

describe('within a process', () => {
  it('gives the same messages as objects, and stops with the loop', async () => {
    await using sim = createSimulator({ clock: 'manual' })
    const events: StreamEvent[] = []
    for await (const each of sim.events()) {
      if (events.push(each) === 2) await sim.fetch('/v1/models')
      if (each.event === 'batch' && each.data.entries) break
    }
    expect(events.map(({ event }) => event)).toEqual(['hello', 'ready', 'batch'])
    expect(events[2]).toMatchObject({
      data: { entries: [{ operation: 'models.list' }], clock: { mode: 'manual' } },
    })
  })

  it('sends nothing that did not change, and the clock in every 40th batch', async () => {
    await using sim = createSimulator({ clock: 'manual' })
    sim.core.control.events.batchMs = 5
    const start = performance.now()
    for await (const { event, data } of sim.events()) {
      if (event !== 'batch') continue
      expect(Object.keys(data)).toEqual(['clock'])
      break
    }
    expect(performance.now() - start).toBeGreaterThan(150)
  })

  it('holds nothing and listens to nothing when it is no longer read', async () => {
    await using sim = createSimulator()
    const { events } = sim.core.control
    events.lingerMs = 20
    const { journal } = sim.core.namespaces.get('default')
    const subscribe = vi.spyOn(journal, 'subscribe')
    const stopped = vi.fn<() => void>()
    subscribe.mockImplementation(() => stopped)
    for (let count = 0; count < 1_000; count++) for await (const _first of sim.events()) break
    await vi.waitFor(() => expect(events.feedCount).toBe(0))
    expect(stopped.mock.calls.length).toBeGreaterThanOrEqual(subscribe.mock.calls.length - 1)
  })

  it('sends the latest 10,000 tasks, and says how many are older', async () => {
    await using sim = createSimulator({ clock: 'manual' })
    const { tasks } = sim.core
    await sim.fetch('/v1/video/generations', {
      method: 'POST',
      headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'video-1', prompt: 'a kite' }),
    })
    const { nth: _nth, ...record } = tasks.list('default')[0]!.record
    for (let count = 1; count < 10_003; count++) tasks.submit({ ...record, id: `task_${count}` })
    const ids: string[] = []
    let longest = 0
    for await (const { event, data } of sim.events()) {
      if (event === 'hello') expect(data).toMatchObject({ tasks: 10_000, olderTasks: 3 })
      if (event === 'ready') break
      if (event !== 'batch' || !data.tasks) continue
      longest = Math.max(longest, JSON.stringify(data).length)
      ids.push(...data.tasks.map(({ id }) => id))
    }
    expect([ids[0], ids.at(-1), new Set(ids).size]).toEqual(['task_3', 'task_10002', 10_000])
    expect(longest).toBeGreaterThan(60 * 1024)
    expect(longest).toBeLessThan(62 * 1024)
  })

  it('sends long tasks whole, in writes of at most 64 kB, so that a reader that stops holds little', async () => {
    await using sim = createSimulator({ clock: 'manual' })
    sim.core.control.events.batchMs = 5
    const prompt = '🪁'.repeat(15_000)
    const submit = (): Promise<Response> =>
      sim.fetch('/v1/video/generations', {
        method: 'POST',
        headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'video-1', prompt }),
      })
    for (let count = 0; count < 10; count++) await submit()
    const pieces: Uint8Array[] = []
    const until = async (pattern: RegExp): Promise<void> => {
      for (let text = ''; !pattern.test(text); text = Buffer.concat(pieces.slice(-2)).toString())
        pieces.push((await stream.next()).value as Uint8Array)
    }
    const { open } = sim.core.control.events.stream('default', '')
    const stream = open(new AbortController().signal)[Symbol.asyncIterator]()
    await until(/event: ready[^]*\n\n$/)
    for (let count = 0; count < 10; count++) await submit()
    await until(/"tasks":[^]*\n\n$/)
    await stream.return!(undefined)
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(64 * 1024)
    expect(Buffer.concat(pieces).toString().split(prompt)).toHaveLength(21)
  })

  it('refuses too many readers, and takes one again when one has left', async () => {
    await using sim = createSimulator()
    const left = new AbortController()
    const open = async (): Promise<number> => {
      const request = new Request('https://gateway.example/_greenroom/events', { signal: left.signal })
      const response = await sim.fetch(request)
      if (response.ok) await response.body!.getReader().read()
      return response.status
    }
    for (let count = 0; count < 250; count++) expect(await open()).toBe(200)
    expect(await open()).toBe(503)
    left.abort()
    const after = await sim.fetch('https://gateway.example/_greenroom/events')
    expect(after.status).toBe(200)
    await after.body!.cancel()
  })

  it('cuts off a reader that leaves 8 MB unread', async () => {
    await using sim = createSimulator({ clock: 'manual' })
    sim.core.control.events.batchMs = 5
    const reader = sim.events()[Symbol.asyncIterator]()
    await reader.next()
    const { journal } = sim.core.namespaces.get('default')
    await sim.fetch('/v1/models')
    const [entry] = journal.entries()
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 1_500; count++) journal.settled({ ...entry!, number: count })
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await expect(reader.next()).rejects.toThrow('left unread')
  })
})

/** Watches for times in which this process does not run. @returns a function that ends the watch, with the longest, in ms. */
function watchHalts(): () => number {
  let lastMs = performance.now()
  let longestMs = 0
  const note = (): void => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }
  const timer = setInterval(note, 1)
  return () => {
    clearInterval(timer)
    note()
    return longestMs
  }
}

it('writes each change once, however many readers leave it unread', async () => {
  await using sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
  const { events } = sim.core.control
  events.batchMs = 5
  const openReader = async () => {
    const reader = events.read('default')
    while ((await reader.next()).value?.event !== 'ready');
    return reader
  }
  for (let readers = 1; readers < maxReaders; readers++) await openReader()
  const reading = await openReader()
  const write = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => write.mockRestore())
  await sim.fetch('https://gateway.example/v1/models', { headers: { authorization: `Bearer ${sim.key}` } })
  while (!(await reading.next()).value?.json.includes('"outcome":"completed"'));

  const isBatch = (value: unknown): boolean =>
    Array.isArray(value) && value.some(({ operation }) => operation === 'models.list')
  // Once when it has begun, and once when it has ended.
  expect(write.mock.calls.filter(([value]) => isBatch(value)).length).toBeLessThanOrEqual(2)
})

/** A simulator with many exchanges in its journal. */
async function simulatorWithJournal({ entries }: { entries: number }) {
  const sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
  await sim.fetch('https://gateway.example/v1/models')
  const { journal } = sim.core.namespaces.get('default')
  const [entry] = journal.entries()
  for (let number = 2; number <= entries; number++) journal.append({ ...entry!, number })
  return sim
}

it('writes the present state once for readers that come at the same time', async () => {
  await using sim = await simulatorWithJournal({ entries: 1_000 })
  const { events } = sim.core.control
  const write = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => write.mockRestore())
  const readers = Array.from({ length: 50 }, () => events.read('default'))
  const first = await Promise.all(readers.map((reader) => reader.next()))
  expect(first.map(({ value }) => value?.event)).toEqual(Array(50).fill('hello'))
  const second = await Promise.all(readers.map((reader) => reader.next()))

  expect(new Set(second.map(({ value }) => value)).size).toBe(1)
  const entries = write.mock.calls.filter(
    ([value]) => (value as { operation?: string }).operation === 'models.list',
  )
  // One of more than ten pieces.
  expect(entries.length).toBeGreaterThan(50)
  expect(entries.length).toBeLessThan(100)
})

it('writes little in one turn of the event loop, however many readers there are', async () => {
  await using sim = await simulatorWithJournal({ entries: 1_000 })
  const left = new AbortController()
  setMaxListeners(0, left.signal)
  let turns = 0
  let bytes = 0
  const read = async (): Promise<void> => {
    for await (const piece of sim.core.control.events.stream('default', '').open(left.signal))
      bytes += piece.length
  }
  const readers = Array.from({ length: 50 }, read)
  for (; bytes < 4 * 1024 * 1024; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(bytes / turns).toBeLessThan(2 * maxBytesInTurn)
  left.abort()
  await Promise.all(readers)
})
