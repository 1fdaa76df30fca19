import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { authorization, postVideo, submitVideo } from '../support/video.ts'

const start = Date.UTC(2030, 0, 1)

interface HttpDeadline {
  /** Resolves when it passes. */
  readonly passed: Promise<{ now: number; time: string }>
  readonly end: () => void
}

/** Opens a deadline as a client in any language does: the headers say that it is open, the body that it has passed. */
async function openDeadline(transport: OpenTransport, body: Record<string, unknown>): Promise<HttpDeadline> {
  const leaving = new AbortController()
  const init = { method: 'POST', body: JSON.stringify(body), signal: leaving.signal }
  const response = await transport.call('/_greenroom/clock/deadline', init)
  expect(response.status).toBe(200)
  const passed = response.json() as HttpDeadline['passed']
  passed.catch(() => {})
  return { passed, end: () => leaving.abort() }
}

/** Polls once within a limit. @returns what came first. */
async function pollWithin(
  transport: OpenTransport,
  id: string,
  limit: string | number,
  as?: string,
): Promise<'response' | 'deadline'> {
  const { passed, end } = await openDeadline(transport, { for: limit, ...(as !== undefined && { as }) })
  const leaving = new AbortController()
  const headers = { authorization, ...(as !== undefined && { 'x-greenroom-as': as }) }
  const response = transport
    .call(`/v1/video/generations/${id}`, { headers, signal: leaving.signal })
    .then(async (each) => (await each.text(), 'response' as const))
  response.catch(() => {})
  const outcome = await Promise.race([response, passed.then(() => 'deadline' as const)])
  leaving.abort()
  end()
  return outcome
}

describeTransports((open, transportName) => {
  it('ends a hanging request without a real wait', async () => {
    await using transport = await open({
      clock: { mode: 'auto', start },
      rules: [{ match: { op: 'video.poll' }, fault: 'hang' }],
    })
    const id = await submitVideo(transport)
    expect(await pollWithin(transport, id, '30s')).toBe('deadline')
    // The wait before a poll is assumed, and is no part of its deadline.
    expect(transport.sim.clock.now()).toBe(start + 5_000 + 30_000)
    await expect
      .poll(() => transport.sim.journal({ operation: 'video.poll' }))
      .toMatchObject([{ outcome: 'aborted' }])
    await expect.poll(() => transport.sim.clock.status().waiters).toBe(0)
  })

  it('distinguishes responses before and after the deadline, for any delay', async () => {
    const ms = fc.integer({ min: 1, max: 60_000 })
    await fc.assert(
      fc.asyncProperty(ms, ms, fc.constantFrom(undefined, 'worker-a'), async (delay, limit, as) => {
        await using transport = await open({
          clock: { mode: 'auto', start, assume: [] },
          rules: [{ match: { op: 'video.poll' }, delay }],
        })
        const id = await submitVideo(transport)
        expect(await pollWithin(transport, id, limit, as)).toBe(delay <= limit ? 'response' : 'deadline')
        expect(transport.sim.clock.now()).toBe(start + Math.min(delay, limit))
      }),
      { numRuns: transportName === 'direct' ? 40 : 10 },
    )
  })

  it('does not advance the clock while the client computes, nor when it disconnects', async () => {
    await using transport = await open({ clock: { mode: 'auto', start } })
    const { end } = await openDeadline(transport, { for: '30s', as: 'worker-a' })
    const sleeping = transport.call('/_greenroom/clock/sleep', {
      method: 'POST',
      body: '{"for":"1m","as":"worker-b"}',
    })
    await expect.poll(() => transport.sim.clock.status().waiters).toBe(2)
    expect(transport.sim.clock.status()).toMatchObject({
      now: start,
      why: expect.stringContaining('waiting for the owner of a deadline of worker-a until 00:00:30'),
    })
    end()
    expect(await (await sleeping).json()).toMatchObject({ now: start + 60_000 })
    expect(transport.sim.clock.status().waiters).toBe(0)
  })

  it('reports when a deadline has passed, also in mode manual', async () => {
    await using transport = await open({ clock: { mode: 'manual', start } })
    const { passed } = await openDeadline(transport, { for: '30s' })
    await transport.sim.clock.advance('29s')
    expect(transport.sim.clock.status().waiting).toEqual(['a deadline until 00:00:30'])
    await transport.sim.clock.advance('2s')
    expect(await passed).toEqual({ now: start + 30_000, time: '2030-01-01T00:00:30.000Z' })
  })

  it('lets several clients finish on one clock, with a deadline for each request', async () => {
    await using transport = await open({
      clock: { mode: 'auto', start, participants: 3 },
      rules: [{ match: { op: 'video.poll' }, chance: 0.5, delay: '3s' }],
    })
    const live = async (as: string): Promise<string[]> => {
      const worker = transport.sim.clock.join(as)
      const id = await submitVideo(transport, { prompt: `${as} [[queued 10s]] [[render 20s]]` })
      const outcomes: string[] = []
      for (let poll = 0; poll < 4; poll++) {
        await worker.sleep('5s')
        outcomes.push(await pollWithin(transport, id, '4s', as))
        // The end of a deadline takes a moment through a socket, and time waits a second for the owner of one that passes.
        await expect.poll(() => transport.sim.clock.status().why).not.toContain(`deadline of ${as}`)
      }
      worker.leave()
      return outcomes
    }
    const all = await Promise.all(['worker-a', 'worker-b', 'worker-c'].map(live))
    expect(new Set(all.flat())).toEqual(new Set(['response']))
  })

  it.each([
    [{}, '"for" must be a duration'],
    [{ for: 'soon' }, 'soon'],
    [{ for: '5s', as: 'two words' }, '"as" must be a name'],
    [{ for: '5s', name: 'x' }, 'Unknown field "name"'],
  ])('refuses %j', async (body, message) => {
    await using transport = await open()
    const init = { method: 'POST', body: JSON.stringify(body) }
    const response = await transport.call('/_greenroom/clock/deadline', init)
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { message: expect.stringContaining(message) } },
    ])
  })

  it('closes the connection of a deadline when the simulator closes', async () => {
    const transport = await open({ clock: { mode: 'auto', start } })
    const { passed } = await openDeadline(transport, { for: '30s' })
    await transport.sim.close()
    await expect(passed).rejects.toThrow()
    await transport[Symbol.asyncDispose]()
  })

  it('provides a signal that replaces AbortSignal.timeout', async () => {
    await using transport = await open({ clock: { mode: 'auto', start } })
    const worker = transport.sim.clock.join('worker-a')
    transport.sim.next('video.submit', { fault: 'hang' })
    const submit = (): Promise<Response> => {
      const deadline = worker.deadline('30s')
      const init = { signal: deadline.signal, headers: { authorization, 'x-greenroom-as': 'worker-a' } }
      const body = { body: JSON.stringify({ model: 'm', prompt: 'p' }), method: 'POST' }
      const headers = { ...init.headers, 'content-type': 'application/json' }
      return transport.call('/v1/video/generations', { ...init, ...body, headers }).finally(deadline.end)
    }
    await expect(submit()).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await submit()).status).toBe(200)
    expect(transport.sim.clock.now()).toBe(start + 30_000)
    worker.leave()
    expect((await postVideo(transport, { prompt: 'a kite' })).status).toBe(200)
  })
})
