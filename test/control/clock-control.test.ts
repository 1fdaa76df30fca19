import { expect, it } from 'vitest'
import type { ClockStatus, SimulatorEvent } from '../../src/index.ts'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { authorization, submitVideo } from '../support/video.ts'

async function call<Body = ClockStatus>(
  transport: OpenTransport,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await transport.call(`/_greenroom/clock${path}`, { method, ...init })
  return { status: response.status, body: (await response.json()) as Body }
}

const start = '2030-01-01T00:00:00Z'

describeTransports((open) => {
  it('says in every mode that time has reached its end, and how to go back', async () => {
    await using transport = await open({ clock: 'real' })
    const saved = transport.sim.snapshot()
    await call(transport, 'POST', '/advance', { to: '9999-12-31T23:59:59Z' })
    for (const mode of ['real', 'manual', 'auto']) {
      const { status, body } = await call(transport, 'PUT', '', { mode })
      expect([status, body.why]).toEqual([200, expect.stringMatching(`^${mode}: time has reached its end`)])
    }
    expect((await call(transport, 'GET', '?namespace=other')).body.why).not.toContain('end')
    transport.sim.restore(saved)
    expect((await call(transport, 'GET', '')).body.why).toContain('time passes')
  })

  it('holds the clock until the hold is released, and reports the holder', async () => {
    await using transport = await open({ clock: { mode: 'auto', start } })
    const { body: hold } = await call<{ id: string }>(transport, 'POST', '/hold', {
      as: 'debugger',
      for: '10s',
    })
    expect(hold).toMatchObject({ id: 'hold_1', name: 'debugger' })
    const renewed = await call<{ expiresInMs: number }>(transport, 'PUT', '/hold/hold_1', { for: '1m' })
    expect(renewed.body.expiresInMs).toBeGreaterThan(10_000)
    const sleeping = call(transport, 'POST', '/sleep', { for: '5s', as: 'worker-a' })
    await expect.poll(() => transport.sim.clock.status().waiting).toEqual(['worker-a until 00:00:05'])
    const { body } = await call(transport, 'GET', '')
    expect(body.why).toMatch(/^auto: held by debugger \(hold_1, for another \d+\.\d s\)$/)
    expect(body.time).toBe('2030-01-01T00:00:00.000Z')
    expect((await call(transport, 'DELETE', '/hold/hold_1')).status).toBe(200)
    expect((await sleeping).body).toMatchObject({ time: '2030-01-01T00:00:05.000Z' })
    expect(await call(transport, 'DELETE', '/hold/hold_1')).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('There is no hold "hold_1"') } },
    })
  })

  it('waits for participants until they leave', async () => {
    await using transport = await open({ clock: { mode: 'auto', start } })
    expect((await call(transport, 'POST', '/join', { as: 'worker-a' })).body.participants.expected).toBe(1)
    await call(transport, 'POST', '/join', { as: 'worker-b' })
    const sleeping = call(transport, 'POST', '/sleep', { for: '65s', as: 'worker-a' })
    await expect.poll(() => transport.sim.clock.status().participants.parked).toBe(1)
    expect((await call(transport, 'GET', '')).body.why).toBe(
      'auto: waiting for participant worker-b (not seen yet); 1 of 2 parked: worker-a until 00:01:05',
    )
    const { body } = await call(transport, 'POST', '/leave', { as: 'worker-b' })
    expect(body.participants.names).toEqual(['worker-a'])
    expect((await sleeping).body).toMatchObject({ time: '2030-01-01T00:01:05.000Z' })
  })

  it('reports a deadlock when all participants wait for a response that never comes', async () => {
    const warnings: string[] = []
    await using transport = await open({
      clock: { mode: 'auto', start, participants: 1 },
      rules: [{ match: { op: 'video.poll' }, delay: 'forever' }],
      onWarning: (message) => warnings.push(message),
    })
    const events: SimulatorEvent[] = []
    transport.sim.core.events.subscribe((event) => events.push(event))
    const id = await submitVideo(transport)
    const leaving = new AbortController()
    const poll = transport.call(`/v1/video/generations/${id}`, {
      headers: { authorization, 'x-greenroom-as': 'worker-a' },
      signal: leaving.signal,
    })
    await expect.poll(() => transport.sim.clock.status().stuck?.outcome).toBe('deadlock')
    const why =
      'auto: deadlock: all 1 participants are parked, and none can be woken: ' +
      'a delayed answer (#2) to worker-a forever'
    expect(warnings).toEqual([`Time stands still in namespace "default": ${why}.`])
    expect(events.find(({ type }) => type === 'clock.stuck')).toMatchObject({ outcome: 'deadlock', why })
    leaving.abort()
    await expect(poll).rejects.toThrow()
    await expect.poll(() => transport.sim.clock.status().stuck).toBeNull()
  })

  it.each([
    ['POST', '/hold', { for: '2h' }, 409, 'a hold lasts up to an hour'],
    ['POST', '/hold', { as: 'a b' }, 400, '"as" must be a name of 1 to 64 letters'],
    ['POST', '/hold', { until: '1s' }, 400, 'Unknown field "until"'],
    ['PUT', '/hold/hold_9', {}, 404, 'There is no hold "hold_9"'],
    ['POST', '/join', {}, 400, '"as" must be a text, not nothing'],
    [
      'POST',
      '/leave',
      { as: 'stranger' },
      409,
      'Failed to leave the clock as "stranger": there are no participants',
    ],
    ['PUT', '', { mode: 'host' }, 409, 'Mode host follows the Date of the process'],
  ])('refuses %s %s %j with a hint', async (method, path, body, status, message) => {
    await using transport = await open()
    expect(await call(transport, method, path, body)).toEqual({
      status,
      body: { error: { message: expect.stringContaining(message) } },
    })
  })

  it('refuses a hold in modes in which time passes by itself', async () => {
    await using transport = await open({ clock: { mode: 'real' } })
    expect(await call(transport, 'POST', '/hold', {})).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('in mode real time passes whatever is held') } },
    })
  })
})
