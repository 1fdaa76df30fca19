import { connect } from 'node:net'
import { asyncProperty, assert, boolean, constantFrom, double, integer } from 'fast-check'
import { expect, it } from 'vitest'
import type { Fault } from '../../src/scenario/faults/index.ts'
import { describeTransportsAnd, openSocket, type OpenTransport } from '../support/transports.ts'
import { breakAnswers, outcomeOf } from '../support/faults.ts'
import { ask, eventsOf, postChat, postNative, say } from '../support/text.ts'
import { authorization, getContent, submitVideo } from '../support/video.ts'

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function finishedVideo(transport: OpenTransport): Promise<string> {
  const id = await submitVideo(transport)
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  return id
}

const poll = (transport: OpenTransport, id: string) => (): Promise<Response> =>
  transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })

/** Waits until the transport has settled the last exchange, and returns it. */
async function settled(transport: OpenTransport) {
  await expect.poll(() => transport.sim.journal().at(-1)!.outcome).not.toBe('open')
  return transport.sim.journal().at(-1)!
}

const silences: readonly [Fault, string][] = [
  [{ type: 'reset' }, 'ECONNRESET'],
  [{ type: 'close' }, 'UND_ERR_SOCKET'],
  [{ type: 'half-headers' }, 'UND_ERR_SOCKET'],
  [{ type: 'garbage' }, 'HPE_INVALID_CONSTANT'],
]

const breaks: readonly [Fault, string][] = [
  [{ type: 'reset', phase: 'mid-body', at: 0.4 }, 'ECONNRESET'],
  [{ type: 'reset', phase: 'mid-body', at: 0 }, 'ECONNRESET'],
  [{ type: 'truncate', at: 0.4 }, 'UND_ERR_SOCKET'],
  [{ type: 'truncate', at: 0 }, 'UND_ERR_SOCKET'],
  [{ type: 'malformed-chunk' }, 'HPE_INVALID_CHUNK_SIZE'],
]

/** Node 24 gives no code to what can't be read as HTTP. */
function codesOf(code: string, transport: string): unknown {
  return expect.toSatisfy(
    (seen) =>
      seen === code ||
      (['socket', 'express'].includes(transport) && code.startsWith('HPE') && seen === undefined),
  )
}

/**
 * How many bytes a client reads of those that were sent. Behind a socket, an error discards what its runtime has not passed on
 * yet: Node 24 may pass on nothing.
 */
function bytesOf(sent: number, transport: string): unknown {
  const isWhole = !['socket', 'express'].includes(transport)
  return expect.toSatisfy((seen: number) =>
    isWhole ? Math.abs(seen - sent) <= 2 : seen >= 0 && seen <= sent + 2,
  )
}

describeTransportsAnd('express')((open, transport) => {
  const approximated = transport !== 'socket' && transport !== 'express'
  // MSW has its own words for whatever happens before there is an answer.
  const lost = transport === 'msw' ? 'Failed to fetch' : 'fetch failed'

  it.each(silences)('answers nothing after $type, and says so as a socket does', async (fault, code) => {
    await using gateway = await open({ cacheDir: false })
    const id = await submitVideo(gateway)
    const mend = breakAnswers(gateway.sim, '/v1/video/generations/', fault)
    const outcome = await outcomeOf(poll(gateway, id))
    expect(outcome).toMatchObject({
      where: 'fetch',
      bytes: 0,
      name: 'TypeError',
      message: lost,
      code: codesOf(code, transport),
    })
    expect(await settled(gateway)).toMatchObject({
      outcome: 'failed',
      bytes: 0,
      content: 'partial',
      firstByteAt: null,
      approximated,
    })
    mend()
    expect((await poll(gateway, id)()).status).toBe(200)
  })

  it.each(breaks)('breaks JSON off by %j', async (fault, code) => {
    await using gateway = await open({ cacheDir: false })
    const id = await submitVideo(gateway)
    const whole = (await (await poll(gateway, id)()).text()).length
    breakAnswers(gateway.sim, '/v1/video/generations/', fault)
    const outcome = await outcomeOf(poll(gateway, id))
    const share = 'at' in fault ? Number(fault.at) : 0.5
    const sent = Math.floor(whole * share)
    expect(outcome).toMatchObject({
      where: 'body',
      name: 'TypeError',
      message: 'terminated',
      code: codesOf(code, transport),
      bytes: bytesOf(sent, transport),
    })
    const entry = await settled(gateway)
    expect(entry).toMatchObject({ outcome: 'failed', content: 'partial', approximated })
    expect(Math.abs(entry.bytes - sent)).toBeLessThanOrEqual(2)
  })

  it.each(breaks)('cuts videos off by %j, whole and in part', async (fault, code) => {
    await using gateway = await open()
    const id = await finishedVideo(gateway)
    const video = new Uint8Array(await (await getContent(gateway, id)).arrayBuffer())
    breakAnswers(gateway.sim, '/v1/videos/', fault)
    const share = 'at' in fault ? Number(fault.at) : 0.5
    for (const range of [undefined, 'bytes=100-1099']) {
      const headers: Record<string, string> = range === undefined ? {} : { range }
      const outcome = await outcomeOf(() => getContent(gateway, id, { headers }))
      const length = range === undefined ? video.length : 1000
      const bytes = Math.floor(length * share)
      expect(outcome).toMatchObject({
        where: 'body',
        name: 'TypeError',
        message: 'terminated',
        code: codesOf(code, transport),
        bytes: bytesOf(bytes, transport),
      })
      const status = range === undefined ? 200 : 206
      expect(await settled(gateway)).toMatchObject({ status, bytes, outcome: 'failed', content: 'partial' })
    }
  })

  it.each(breaks)('breaks streams off by %j', async (fault, code) => {
    await using gateway = await open()
    breakAnswers(gateway.sim, '/v1/chat/', fault)
    const body = { ...ask('[[say: one two three four five]]'), stream: true }
    const outcome = await outcomeOf(() => postChat(gateway, body))
    expect(outcome).toMatchObject({ where: 'body', message: 'terminated', code: codesOf(code, transport) })
    const ended = fault.type === 'truncate' ? 'cut' : 'error'
    const entry = await settled(gateway)
    expect(entry).toMatchObject({ outcome: 'failed', content: 'partial' })
    expect(outcome.bytes).toEqual(bytesOf(entry.bytes, transport))
    expect(entry.stream?.ended).toBe(ended)
    expect(entry.stream!.chunks).toBeLessThan(5)
  })

  it('keeps length and entity tag of the intact video when bytes of it are altered', async () => {
    await using gateway = await open()
    const id = await finishedVideo(gateway)
    const good = await getContent(gateway, id)
    const video = new Uint8Array(await good.arrayBuffer())
    const mend = breakAnswers(gateway.sim, '/v1/videos/', { type: 'corrupt', bytes: 16 })
    const bad = await getContent(gateway, id)
    const bytes = new Uint8Array(await bad.arrayBuffer())
    for (const name of ['etag', 'content-length', 'content-type'])
      expect(bad.headers.get(name)).toBe(good.headers.get(name))
    expect(bytes.length).toBe(video.length)
    expect(bytes.filter((byte, index) => byte !== video[index])).toHaveLength(16)
    const altered = { outcome: 'completed', content: 'altered', bytes: video.length, approximated: false }
    expect(await settled(gateway)).toMatchObject(altered)
    mend()
    const again = new Uint8Array(await (await getContent(gateway, id)).arrayBuffer())
    expect(Buffer.from(again).equals(video)).toBe(true)
  })

  it('sends headers at once and the body later, by slow-start', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const id = await finishedVideo(gateway)
    breakAnswers(gateway.sim, '/v1/videos/', { type: 'slow-start', for: '30s' })
    const startMs = gateway.sim.clock.now()
    const response = await getContent(gateway, id)
    expect(response.status).toBe(200)
    const body = response.arrayBuffer()
    let came = false
    void body.then(() => (came = true))
    await expect.poll(() => gateway.sim.clock.status().nextWaiter).toBe(startMs + 30_000)
    await gateway.sim.clock.advance('29999ms')
    await turns()
    expect(came).toBe(false)
    await gateway.sim.clock.advance('1ms')
    const bytes = (await body).byteLength
    expect(await settled(gateway)).toMatchObject({
      outcome: 'completed',
      content: 'complete',
      firstByteAt: startMs + 30_000,
      bytes,
    })
  })

  it('drips videos and streams at a rate on the virtual clock', async () => {
    await using gateway = await open()
    const id = await finishedVideo(gateway)
    breakAnswers(gateway.sim, '/v1', { type: 'drip', bytesPerSecond: 1000 })
    const startMs = gateway.sim.clock.now()
    const video = await (await getContent(gateway, id)).arrayBuffer()
    const tookMs = gateway.sim.clock.now() - startMs
    expect(tookMs).toBe(video.byteLength)
    const text = await (await postChat(gateway, { ...ask('[[say: hello]]'), stream: true })).text()
    expect(eventsOf(text).at(-1)).toBe('[DONE]')
    expect(gateway.sim.clock.now() - startMs - tookMs).toBeGreaterThanOrEqual(text.length - 1)
    expect(await settled(gateway)).toMatchObject({ content: 'complete', stream: { ended: 'finished' } })
  })

  it('stops dripping when the client leaves', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const id = await finishedVideo(gateway)
    breakAnswers(gateway.sim, '/v1/videos/', { type: 'drip', bytesPerSecond: 10 })
    const leaving = new AbortController()
    const response = await getContent(gateway, id, { signal: leaving.signal })
    const read = response.body!.getReader().read()
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    leaving.abort()
    await expect(read).rejects.toThrow()
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(0)
    expect(await settled(gateway)).toMatchObject({ outcome: 'aborted', content: 'partial' })
  })

  it('breaks after the delay that the answer has', async () => {
    const rules = [{ match: { op: 'video.poll' }, delay: '10s' }]
    await using gateway = await open({ rules, cacheDir: false })
    const id = await submitVideo(gateway)
    breakAnswers(gateway.sim, '/v1/video/generations/', { type: 'close' })
    await outcomeOf(poll(gateway, id))
    const { at, settledAt } = await settled(gateway)
    expect(settledAt! - at).toBe(10_000)
  })

  it('spares what has no body, and says so', async () => {
    await using gateway = await open()
    const id = await finishedVideo(gateway)
    breakAnswers(gateway.sim, '/v1/videos/', { type: 'truncate', at: 0.4 })
    const response = await getContent(gateway, id, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await settled(gateway)).toMatchObject({ outcome: 'completed', content: null, approximated: true })
  })

  it('notes of sound answers what went out', async () => {
    await using gateway = await open()
    const id = await finishedVideo(gateway)
    const video = (await (await getContent(gateway, id)).arrayBuffer()).byteLength
    expect(await settled(gateway)).toMatchObject({
      status: 200,
      content: 'complete',
      bytes: video,
      stream: null,
      approximated: false,
    })
    await (await getContent(gateway, id, { headers: { range: 'bytes=0-9' } })).arrayBuffer()
    expect(await settled(gateway)).toMatchObject({ status: 206, content: 'complete', bytes: 10 })
    await getContent(gateway, id, { headers: { range: 'bytes=99999999-' } })
    expect(await settled(gateway)).toMatchObject({ status: 416, content: null, bytes: 0 })
    await (await poll(gateway, id)()).text()
    const polled = await settled(gateway)
    expect(polled).toMatchObject({ content: 'complete', firstByteAt: polled.at, settledAt: polled.at })
    await (await postNative(gateway, 'streamGenerateContent', say('[[say: one two three]]'))).text()
    expect(await settled(gateway)).toMatchObject({ stream: { chunks: 3, ended: 'finished' } })
    const error = '[[say: one two three]] [[error 503 after 2]]'
    await (await postChat(gateway, { ...ask(error), stream: true })).text()
    expect(await settled(gateway)).toMatchObject({
      content: 'partial',
      stream: { chunks: 2, ended: 'error' },
    })
  })

  it('breaks what a rule breaks, and notes by what', async () => {
    const rules = [
      { id: 'lost', match: { op: 'video.poll' }, on: 1, fault: 'close' as const },
      { id: 'short', match: { op: 'video.content' }, on: 1, fault: { type: 'truncate', at: '40%' } as const },
      { id: 'rot', match: { op: 'chat.complete' }, fault: { type: 'corrupt', bytes: 3 } as const },
    ]
    await using gateway = await open({ rules })
    const id = await finishedVideo(gateway)
    expect((await outcomeOf(poll(gateway, id))).where).toBe('fetch')
    expect((await outcomeOf(poll(gateway, id))).where).toBe('nowhere')
    expect((await outcomeOf(() => getContent(gateway, id))).where).toBe('body')
    expect((await outcomeOf(() => getContent(gateway, id))).where).toBe('nowhere')
    const chat = await outcomeOf(() => postChat(gateway, { ...ask('hello'), stream: true }))
    expect(chat.where).toBe('nowhere')
    await settled(gateway)
    expect(
      gateway.sim.journal().map(({ rules: [rule = null], fault, content }) => ({ rule, fault, content })),
    ).toEqual([
      { rule: null, fault: null, content: 'complete' },
      { rule: 'lost', fault: 'close', content: 'partial' },
      { rule: null, fault: null, content: 'complete' },
      { rule: 'short', fault: 'truncate', content: 'partial' },
      { rule: null, fault: null, content: 'complete' },
      { rule: 'rot', fault: 'corrupt', content: 'altered' },
    ])
  })

  it('hangs until the client leaves, and moves no time', async () => {
    const rules = [{ match: { op: 'video.poll' }, fault: 'hang' as const }]
    await using gateway = await open({ rules, cacheDir: false, clock: { mode: 'manual' } })
    const id = await submitVideo(gateway)
    const leaving = new AbortController()
    const init = { headers: { authorization }, signal: leaving.signal }
    const polled = gateway.call(`/v1/video/generations/${id}`, init)
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    expect(gateway.sim.clock.status().nextWaiter).toBe(null)
    leaving.abort()
    await expect(polled).rejects.toMatchObject({ name: 'AbortError' })
    expect(await settled(gateway)).toMatchObject({ outcome: 'aborted', content: 'partial', fault: 'hang' })
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })

  it('never leaves a waiter behind, wherever it breaks and whenever the client goes', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const id = await finishedVideo(gateway)
    const kinds = constantFrom('drip', 'slow-start', 'truncate', 'reset')
    const faultOf = (type: string, share: number): Fault => {
      if (type === 'drip') return { type, bytesPerSecond: 1 + share * 1e5 }
      if (type === 'slow-start') return { type, for: Math.round(share * 60_000) }
      return type === 'truncate' ? { type, at: share } : { type: 'reset', phase: 'mid-body', at: share }
    }
    const story = async (type: string, share: number, reads: number): Promise<void> => {
      const mend = breakAnswers(gateway.sim, '/v1/videos/', faultOf(type, share))
      const response = await getContent(gateway, id)
      const reader = response.body!.getReader()
      for (let read = 0; read < reads; read++) {
        const next = reader.read().catch(() => undefined)
        await turns(3)
        await gateway.sim.clock.advance('10s')
        if ((await Promise.race([next, turns(10).then(() => 'waits')])) === undefined) break
      }
      await reader.cancel().catch(() => {})
      mend()
      await settled(gateway)
      expect(gateway.sim.clock.status().waiters).toBe(0)
    }
    const shares = double({ min: 0, max: 1, noNaN: true })
    await assert(asyncProperty(kinds, shares, integer({ min: 0, max: 4 }), story), { numRuns: 40 })
  })
})

/** Sends a request as bytes and returns all that comes back, and how the connection ended. */
async function rawCall(url: string, target: string): Promise<{ answer: string; code: string | undefined }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  let code: string | undefined
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code))
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`)
  await new Promise((resolve) => socket.once('close', resolve))
  return { answer, code }
}

const rawFaults: readonly [Fault, RegExp, string | undefined][] = [
  [{ type: 'reset' }, /^$/, 'ECONNRESET'],
  [{ type: 'close' }, /^$/, undefined],
  [{ type: 'half-headers' }, /^HTTP\/1\.1 200 OK\r\n(?![\s\S]*\r\n\r\n)/, undefined],
  // oxlint-disable-next-line no-control-regex
  [{ type: 'garbage' }, /^\x15\x03\x03/, undefined],
  [{ type: 'malformed-chunk' }, /\r\nTransfer-Encoding: chunked\r\n[\s\S]*\r\nzz\r\n/, undefined],
  [
    { type: 'truncate', at: '50%' },
    /\r\nContent-Length: \d+\r\n[\s\S]*\r\n\r\n\{"code":"success"/,
    undefined,
  ],
  [
    { type: 'reset', at: '50%' },
    /\r\nContent-Length: \d+\r\n[\s\S]*\r\n\r\n\{"code":"success"/,
    'ECONNRESET',
  ],
]

it.each(rawFaults)('writes %j to the byte', async (fault, expected, code) => {
  await using gateway = await openSocket({ cacheDir: false })
  const id = await submitVideo(gateway)
  breakAnswers(gateway.sim, '/v1/video/generations/', fault)
  const ended = await rawCall(gateway.url, `/v1/video/generations/${id}`)
  expect(ended.answer).toMatch(expected)
  expect(ended.code).toBe(code)
  const [head = '', body = ''] = ended.answer.split('\r\n\r\n')
  if (!/Content-Length/.test(head)) return
  const length = Number(/Content-Length: (\d+)/.exec(head)![1])
  expect(body).toHaveLength(Math.floor(length / 2))
})

it('harms no other connection, and no other request', async () => {
  await using gateway = await openSocket()
  const id = await finishedVideo(gateway)
  for (const [fault] of [...silences, ...breaks]) {
    const mend = breakAnswers(gateway.sim, '/v1/videos/', fault)
    const others = Array.from({ length: 5 }, () => poll(gateway, id)())
    const [outcome, ...answers] = await Promise.all([
      outcomeOf(() => getContent(gateway, id)),
      ...others.map(async (answer) => (await answer).status),
    ])
    mend()
    expect(outcome.name).toBe('TypeError')
    expect(answers).toEqual([200, 200, 200, 200, 200])
  }
})

it('leaves no socket and no waiter behind, whenever a client goes', async () => {
  await using gateway = await openSocket({ clock: { mode: 'manual' } })
  const id = await finishedVideo(gateway)
  const { hostname, port } = new URL(gateway.url)
  const sockets = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const faults = constantFrom<Fault['type']>(
    ...(['reset', 'close', 'slow-start', 'drip', 'truncate', 'malformed-chunk', 'half-headers'] as const),
  )
  const story = async (type: Fault['type'], share: number, steps: number, resets: boolean): Promise<void> => {
    const before = sockets()
    const all = { type, at: share, for: 1 + share * 60_000, bytesPerSecond: 1 + share * 1e5 }
    const mend = breakAnswers(gateway.sim, '/v1/videos/', all as Fault)
    const earlier = gateway.sim.journal().length
    const client = connect(Number(port), hostname)
    client.on('error', () => {}).resume()
    client.write(
      `GET /v1/videos/${id}/content HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`,
    )
    await expect.poll(() => gateway.sim.journal().length).toBe(earlier + 1)
    for (let step = 0; step < steps; step++) {
      await turns(3)
      await gateway.sim.clock.advance('10s')
    }
    if (resets && !client.destroyed) client.resetAndDestroy()
    else client.destroy()
    await settled(gateway)
    await expect.poll(sockets).toBeLessThanOrEqual(before)
    expect(gateway.sim.clock.status().waiters).toBe(0)
    mend()
  }
  const shares = double({ min: 0, max: 1, noNaN: true })
  await assert(asyncProperty(faults, shares, integer({ min: 0, max: 4 }), boolean(), story), { numRuns: 40 })
})

it('notes a client that leaves before its connection would have been broken', async () => {
  const rules = [{ match: { op: 'video.poll' }, delay: '1h' }]
  await using gateway = await openSocket({ rules, clock: { mode: 'manual' }, cacheDir: false })
  const id = await submitVideo(gateway)
  breakAnswers(gateway.sim, '/v1/video/generations/', { type: 'reset' })
  const leaving = new AbortController()
  const init = { headers: { authorization }, signal: leaving.signal }
  const polled = gateway.call(`/v1/video/generations/${id}`, init)
  await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
  leaving.abort()
  await expect(polled).rejects.toMatchObject({ name: 'AbortError' })
  expect(await settled(gateway)).toMatchObject({ outcome: 'aborted', bytes: 0 })
  expect(gateway.sim.clock.status().waiters).toBe(0)
})
