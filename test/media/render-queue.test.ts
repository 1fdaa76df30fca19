import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { RenderQueue } from '../../src/media/render-queue.ts'

function renders(changes: Partial<ConstructorParameters<typeof RenderQueue>[0]> = {}) {
  return new RenderQueue<string>({ maxRunning: 1, maxRequests: 2, maxPrefetches: 2, ...changes })
}

/** Work that ends when `finish` is called. */
function work(result: string) {
  let finish = () => {}
  const begun = vi.fn(() => new Promise<string>((resolve) => (finish = () => resolve(result))))
  return { begun, finish: () => finish() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('renders once what several clients request at once', async () => {
  const line = renders()
  const one = work('a')

  const all = [
    line.request('key', one.begun),
    line.request('key', one.begun),
    line.prefetch('key', one.begun),
  ]
  one.finish()

  expect(await Promise.all(all)).toEqual(['a', 'a', 'a'])
  expect(one.begun).toHaveBeenCalledOnce()
})

it('renders requests before prefetches, and a requested prefetch as a request', async () => {
  const line = renders()
  const order: string[] = []
  const job = (name: string) => async () => {
    order.push(name)
    await turn()
    return name
  }

  const all = [
    line.request('first', job('first')),
    line.prefetch('prefetched 1', job('prefetched 1')),
    line.prefetch('prefetched 2', job('prefetched 2')),
    line.request('requested', job('requested')),
    line.request('prefetched 2', job('never')),
  ]
  await Promise.all(all)

  expect(order).toEqual(['first', 'requested', 'prefetched 2', 'prefetched 1'])
})

it('prefetches nothing while a request waits, or when the prefetch queue is full', () => {
  const line = renders()
  void line.request('runs', work('').begun)
  void line.prefetch('1', work('').begun)
  void line.prefetch('2', work('').begun)
  expect(line.prefetch('3', work('').begun)).toBeUndefined()

  const other = renders()
  void other.request('runs', work('').begun)
  void other.request('waits', work('').begun)
  expect(other.prefetch('1', work('').begun)).toBeUndefined()
})

it('rejects requests beyond the length of its queue', async () => {
  const line = renders()
  for (const key of ['runs', 'waits', 'waits, too']) void line.request(key, work('').begun)

  await expect(line.request('more', work('').begun)).rejects.toThrow(
    /2 others are waiting already.*fewer at a time/,
  )
})

it('goes on after a failure, and tries again when requested again', async () => {
  const line = renders()

  await expect(line.request('key', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck')

  expect(await line.request('key', async () => 'fine')).toBe('fine')
})

it('rejects waiting requests when it closes', async () => {
  const line = renders()
  const running = work('done')
  const first = line.request('runs', running.begun)
  const second = line.request('waits', work('').begun)

  line.close()
  running.finish()

  await expect(second).rejects.toThrow(/closed meanwhile/)
  expect(await first).toBe('done')
  await line.idle()
  await expect(line.request('late', work('').begun)).rejects.toThrow(/is closed/)
})

/** A client that can leave. */
function client() {
  const controller = new AbortController()
  return { departure: () => controller.signal, leave: () => controller.abort() }
}

it('drops a queued render when its last client leaves', async () => {
  const line = renders()
  const [running, queued] = [work('done'), work('never')]
  const [first, second] = [client(), client()]
  void line.request('runs', running.begun)
  const results = [
    line.request('queued', queued.begun, first.departure),
    line.request('queued', queued.begun, second.departure),
  ]
  const refusals = results.map((result) => expect(result).rejects.toThrow(/no client waits for it/))

  first.leave()
  second.leave()
  await Promise.all(refusals)
  running.finish()
  await line.idle()

  expect(queued.begun).not.toHaveBeenCalled()
})

it('keeps a queued render while one of its clients waits', async () => {
  const line = renders()
  const [running, queued, leaving, patient] = [work('done'), work('clip'), client(), client()]
  void line.request('runs', running.begun)
  void line.request('queued', queued.begun, leaving.departure)
  const result = line.request('queued', queued.begun, patient.departure)

  leaving.leave()
  running.finish()
  await vi.waitFor(() => expect(queued.begun).toHaveBeenCalled())
  queued.finish()

  expect(await result).toBe('clip')
})

it('moves a prefetch behind requests again when its client leaves', async () => {
  const line = renders()
  const order: string[] = []
  const job = (name: string) => async () => {
    order.push(name)
    await turn()
    return name
  }
  const leaving = client()
  const running = line.request('first', job('first'))
  const prefetched = line.prefetch('prefetched', job('prefetched'))
  void line.request('prefetched', job('never'), leaving.departure)
  const requested = line.request('requested', job('requested'))

  leaving.leave()
  await Promise.all([running, prefetched, requested])

  expect(order).toEqual(['first', 'requested', 'prefetched'])
})

it('finishes a running render whose client has left, since it will try again', async () => {
  const line = renders()
  const [running, leaving] = [work('clip'), client()]
  const first = line.request('key', running.begun, leaving.departure)

  leaving.leave()
  const again = line.request('key', running.begun)
  running.finish()

  expect(await Promise.all([first, again])).toEqual(['clip', 'clip'])
  expect(running.begun).toHaveBeenCalledOnce()
})

it('ends a running render that is forgotten, as soon as its last client has left', async () => {
  const line = renders()
  const leaving = client()
  let signal: AbortSignal | undefined
  const endless = (given: AbortSignal) => {
    signal = given
    return new Promise<string>((_, reject) => given.addEventListener('abort', () => reject(given.reason)))
  }
  const result = line.request('key', endless, leaving.departure)
  const refusal = expect(result).rejects.toThrow(/no client waits for it/)

  const ended = line.forget('key')
  expect(signal?.aborted).toBe(false)
  leaving.leave()
  await Promise.all([refusal, ended])

  expect(signal?.aborted).toBe(true)
  expect(await line.request('key', async () => 'a new one')).toBe('a new one')
})

it('drops a prefetched render that is forgotten before it begins', async () => {
  const line = renders()
  const [running, prefetched] = [work('done'), work('never')]
  void line.request('runs', running.begun)
  const refusal = expect(line.prefetch('prefetched', prefetched.begun)).rejects.toThrow(/no client waits/)

  await line.forget('prefetched')
  await refusal
  running.finish()
  await line.idle()

  expect(prefetched.begun).not.toHaveBeenCalled()
  expect(line.forget('prefetched')).toBeUndefined()
})

it('begins no work that no client waits for, and settles all others, in any order of events', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd')
  const event = fc.oneof(
    fc.record({ kind: fc.constant('request' as const), key }),
    fc.record({ kind: fc.constant('leave' as const), key }),
    fc.record({ kind: fc.constant('prefetch' as const), key }),
    fc.record({ kind: fc.constant('forget' as const), key }),
    fc.record({ kind: fc.constant('finish' as const), key }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
      const line = renders({ maxRequests: 100 })
      const clients = new Map<string, { leave: () => void; result: Promise<string> }[]>()
      const prefetched = new Set<string>()
      const finishers = new Map<string, () => void>()
      const outcomes: Promise<unknown>[] = []
      let running = 0
      const job = (name: string) => (signal: AbortSignal) =>
        new Promise<string>((resolve, reject) => {
          running += 1
          expect(running).toBe(1)
          const isWanted = (clients.get(name)?.length ?? 0) > 0 || prefetched.has(name)
          if (!isWanted) outcomes.push(Promise.reject(new Error(`${name} began without a client`)))
          const end = (settle: () => void) => () => {
            running -= 1
            finishers.delete(name)
            clients.delete(name)
            prefetched.delete(name)
            settle()
          }
          finishers.set(
            name,
            end(() => resolve(name)),
          )
          signal.addEventListener(
            'abort',
            end(() => reject(new Error('ended'))),
          )
        })
      for (const { kind, key: name } of events) {
        if (kind === 'request') {
          const { departure, leave } = client()
          const list = clients.get(name) ?? []
          clients.set(name, list)
          // The work may begin in the same turn, and looks at the clients.
          const entry = { leave, result: Promise.resolve('') }
          list.push(entry)
          entry.result = line.request(name, job(name), departure)
          entry.result.catch(() => undefined)
        } else if (kind === 'leave') clients.get(name)?.pop()?.leave()
        else if (kind === 'prefetch') {
          prefetched.add(name)
          const made = line.prefetch(name, job(name))
          if (!made) prefetched.delete(name)
          made?.catch(() => undefined)
        } else if (kind === 'forget') {
          prefetched.delete(name)
          void line.forget(name)
        } else finishers.get(name)?.()
        for (let turns = 0; turns < 2; turns++) await turn()
      }
      const waiting = [...clients].flatMap(([name, list]) => list.map(({ result }) => ({ name, result })))
      for (let round = 0; round < 100 && finishers.size > 0; round++) {
        for (const finish of finishers.values()) finish()
        await turn()
      }
      await line.idle()
      for (const { name, result } of waiting) outcomes.push(expect(result).resolves.toBe(name))
      await Promise.all(outcomes)
    }),
    { numRuns: 60 },
  )
})
