import { expect, it } from 'vitest'
import { connect } from 'node:net'
import { describeTransportsAnd, openSocket } from '../support/transports.ts'
import { ask, eventsOf, postChat, postNative, say } from '../support/text.ts'

const paced = { text: { timing: { firstToken: '2s', tokensPerSecond: 1 } } } as const

/** Reads what has come by now, however many reads it takes. */
async function readSome(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read()
  return new TextDecoder().decode(value)
}

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describeTransportsAnd('express')((open, transport) => {
  it('hands over headers at once and each token when it is due', async () => {
    await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const response = await postNative(gateway, 'streamGenerateContent', say('tell me of kites'))
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    const first = readSome(reader)
    let came = false
    void first.then(() => (came = true))
    await gateway.sim.clock.advance('1999ms')
    await turns()
    expect(came).toBe(false)
    await gateway.sim.clock.advance('1ms')
    expect(eventsOf(await first)).toHaveLength(1)

    const next = readSome(reader)
    await turns()
    await gateway.sim.clock.advance('1s')
    expect(eventsOf(await next)).toHaveLength(1)
    await reader.cancel()
  })

  it('hands over what is overdue at once, and ends with the last token', async () => {
    await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const response = await postNative(gateway, 'streamGenerateContent', say('tell me of kites'))
    const body = response.text()
    await turns()
    await gateway.sim.clock.advance('1h')
    expect(eventsOf(await body).length).toBeGreaterThan(2)
    expect(gateway.sim.journal()).toMatchObject([{ operation: 'text.stream', outcome: 'completed' }])
    expect(gateway.sim.journal()[0]!.bytes).toBeGreaterThan(100)
  })

  it.each([
    ['auto', '9999-12-31T23:59:58Z'],
    ['real', '9999-12-31T23:59:59Z'],
    ['manual', '9999-12-31T23:59:59Z'],
  ] as const)(
    'hands over at the end of time what is due after it, in mode %s from %s on',
    async (mode, start) => {
      const rules = [{ id: 'never', match: { op: 'text.generate' }, delay: 'forever' }] as const
      await using gateway = await open({ ...paced, rules, clock: { mode, start } })
      const streamed = await postChat(gateway, { ...ask('tell me of kites'), stream: true })
      expect(eventsOf(await streamed.text()).at(-1)).toBe('[DONE]')
      const whole = await postChat(gateway, ask('tell me of kites'))
      expect(await whole.json()).toMatchObject({ object: 'chat.completion' })
      const leaving = new AbortController()
      const endless = postNative(gateway, 'generateContent', say('tell me of kites'), {
        signal: leaving.signal,
      })
      await turns()
      leaving.abort()
      await expect(endless).rejects.toThrow()
    },
  )

  it('passes virtual time on its own in mode auto', async () => {
    await using gateway = await open(paced)
    const started = gateway.sim.clock.now()
    const response = await postChat(gateway, { ...ask('tell me of kites'), stream: true })
    const events = eventsOf(await response.text())
    expect(events.at(-1)).toBe('[DONE]')
    const tookMs = gateway.sim.clock.now() - started
    expect(tookMs).toBeGreaterThanOrEqual(3_000)
    expect(tookMs % 1000).toBe(0)
  })

  it('frees everything as soon as the client leaves', async () => {
    await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const leaving = new AbortController()
    const { signal } = leaving
    const response = await postChat(gateway, { ...ask('hello'), stream: true }, { signal })
    const reader = response.body!.getReader()
    const opening = readSome(reader)
    expect(eventsOf(await opening)).toMatchObject([{ choices: [{ delta: { role: 'assistant' } }] }])
    const next = reader.read()
    await turns()
    if (transport === 'socket' || transport === 'express')
      await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    expect(gateway.sim.clock.status().waiters).toBe(1)
    leaving.abort()
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })

  it('ends when the client lets go of the body', async () => {
    await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const response = await postChat(gateway, { ...ask('hello'), stream: true })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })

  it('breaks off where the prompt says so', async () => {
    await using gateway = await open()
    const response = await postNative(
      gateway,
      'streamGenerateContent',
      say('tell me of kites [[cut after 2]]'),
    )
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('failed')
  })

  it('begins later where a rule delays it', async () => {
    const rules = [{ match: { op: 'text.*' }, delay: '10s' }]
    await using gateway = await open({ ...paced, rules, clock: { mode: 'manual' } })
    const pending = postNative(gateway, 'streamGenerateContent', say('tell me of kites'))
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    await gateway.sim.clock.advance('10s')
    const reader = (await pending).body!.getReader()
    const first = readSome(reader)
    await turns()
    expect(gateway.sim.clock.status().nextWaiter).toBe(gateway.sim.clock.now() + 2_000)
    await gateway.sim.clock.advance('2s')
    expect(eventsOf(await first)).toHaveLength(1)
    await reader.cancel()
  })

  it('lets go of a stream when the simulator closes', async () => {
    const gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const response = await postNative(gateway, 'streamGenerateContent', say('tell me of kites'))
    const body = response.text().catch(() => 'gone')
    await turns()
    await gateway[Symbol.asyncDispose]()
    expect(await body).toEqual(expect.any(String))
  })
})

it('waits for a slow reader without waiting on the clock, and frees everything when it goes', async () => {
  await using gateway = await openSocket({ cacheDir: false, clock: { mode: 'manual' } })
  const { hostname, port } = new URL(gateway.url)
  const body = JSON.stringify({
    model: 'sim-text-1',
    stream: true,
    n: 64,
    messages: [{ role: 'user', content: 'write a story [[tokens 20000]]' }],
  })
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer sk-test\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  await expect.poll(() => gateway.sim.journal()[0]?.status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(gateway.sim.journal()[0]!.outcome).toBe('open')
  expect(gateway.sim.clock.status().waiters).toBe(0)
  socket.destroy()
  await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
  expect(gateway.sim.journal()[0]!.bytes).toBeLessThan(8_000_000)
})
