import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { outcomeOf } from '../support/faults.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization, getContent, pollVideo, submitVideo } from '../support/video.ts'

const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (sign) => sign.charCodeAt(0),
)

const json = JSON.stringify({ model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 })
const fields = { model: 'video-1', prompt: 'a kite', size: '128x96', seconds: '1' }

function form(file?: File): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  if (file) body.set('image', file)
  return body
}

function streamed(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 10) controller.enqueue(bytes.slice(at, at + 10))
      controller.close()
    },
  })
}

const typed = { 'content-type': 'application/json' }
const bodies: readonly [string, () => BodyInit, Record<string, string>][] = [
  ['a text', () => json, typed],
  ['bytes', () => new TextEncoder().encode(json), typed],
  ['a buffer', () => new TextEncoder().encode(json).buffer, typed],
  ['a blob', () => new Blob([json], { type: 'application/json' }), {}],
  ['a file', () => new File([json], 'ask.json', { type: 'application/json' }), {}],
  ['search parameters', () => new URLSearchParams(fields), {}],
  ['a form', () => form(), {}],
  ['a form with a file', () => form(new File([png], 'kite.png', { type: 'image/png' })), {}],
  ['a stream', () => streamed(json), typed],
]

const submission = '/v1/video/generations'

/** Redirects the first submissions, then answers as usual. */
function redirecting(transport: OpenTransport, status: number, location: string, times = 1): void {
  const respond = { status, headers: { Location: location }, body: '' }
  transport.sim.addRule({ match: { op: 'video.submit' }, times, respond })
}

describeTransports((open, transport) => {
  // MSW 2 follows no redirect of a request that has a body.
  const followsWithBody = transport !== 'msw'

  it.each(bodies)('takes %s as a body', async (_, body, headers) => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const init = { method: 'POST', headers: { authorization, ...headers }, body: body(), duplex: 'half' }
    const response = await gateway.call(submission, init)
    expect([response.status, gateway.sim.journal()[0]?.prompt]).toEqual([200, 'a kite'])
  })

  it('accepts a Request as the argument, with further options', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const headers = { authorization, ...typed }
    const request = new Request(gateway.url + submission, { method: 'POST', headers, body: json })
    expect((await gateway.fetch(request)).status).toBe(200)
    const again = new Request(gateway.url + submission, { method: 'POST', headers, body: json })
    const body = json.replace('kite', 'boat')
    expect((await gateway.fetch(again, { body, keepalive: true })).status).toBe(200)
    expect((await gateway.fetch(new URL(`${gateway.url}/v1/models`), { headers })).status).toBe(200)
    expect(gateway.sim.journal().map(({ prompt }) => prompt)).toEqual(['a kite', 'a boat', null])
  })

  it('says in Date what its own clock says, from which a date in Retry-After is reckoned', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    await gateway.sim.clock.advance('90s')
    gateway.sim.next('models.list', { respond: { status: 429, retryAfter: '42s', retryAfterFormat: 'date' } })
    gateway.sim.next('models.get', { respond: { headers: { date: 'yesterday' } } })
    const refused = (await gateway.call('/v1/models', { headers: { authorization } })).headers
    expect([refused.get('date'), refused.get('retry-after')]).toEqual([
      'Tue, 01 Jan 2030 00:01:30 GMT',
      'Tue, 01 Jan 2030 00:02:12 GMT',
    ])
    const dated = (await gateway.call('/v1/models/sim-text-1', { headers: { authorization } })).headers
    expect(dated.get('date')).toBe('yesterday')
  })

  it('follows a link to the content, unless redirects are off', async () => {
    await using gateway = await open({ quirks: { contentDelivery: 'redirect' } })
    const id = await submitVideo(gateway)
    await gateway.sim.clock.advance('1m')
    const video = await getContent(gateway, id)
    expect([video.status, video.redirected, video.headers.get('content-type')]).toEqual([
      200,
      true,
      'video/mp4',
    ])
    expect(video.url).toContain(gateway.url)
    await video.body?.cancel()
    const manual = await getContent(gateway, id, { redirect: 'manual' })
    expect([manual.status, manual.redirected]).toEqual([302, false])
    expect(manual.headers.get('location')).toContain(gateway.url)
    const error = await outcomeOf(() => getContent(gateway, id, { redirect: 'error' }))
    expect(error).toMatchObject({ where: 'fetch', name: 'TypeError' })
    // MSW goes on by GET.
    if (transport === 'msw') return
    const head = await getContent(gateway, id, { method: 'HEAD' })
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
  })

  it.runIf(followsWithBody)('asks again with method and body where a redirect says so', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    for (const status of [307, 308]) {
      redirecting(gateway, status, submission)
      const init = { method: 'POST', headers: { authorization, ...typed }, body: json }
      expect((await gateway.call(submission, init)).status).toBe(200)
    }
    const received = gateway.sim.journal().map(({ method, status, prompt }) => [method, status, prompt])
    expect(received).toEqual([307, 200, 308, 200].map((status) => ['POST', status, 'a kite']))
  })

  it.runIf(followsWithBody)('goes on by GET and without a body where a redirect says so', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    for (const status of [301, 302, 303]) {
      redirecting(gateway, status, '/v1/models')
      const init = { method: 'POST', headers: { authorization, ...typed }, body: json }
      const response = await gateway.call(submission, init)
      expect([response.status, response.url]).toEqual([200, `${gateway.url}/v1/models`])
    }
    const methods = gateway.sim.journal().map(({ method }) => method)
    expect(methods).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET'])
  })

  it.runIf(followsWithBody)(
    'gives up where redirects go round, and where a stream would have to be sent twice',
    async () => {
      await using gateway = await open({ clock: { mode: 'manual' } })
      redirecting(gateway, 307, submission, 100)
      const init = { method: 'POST', headers: { authorization, ...typed } }
      const round = await outcomeOf(() => gateway.call(submission, { ...init, body: json }))
      expect(round).toMatchObject({ where: 'fetch', name: 'TypeError' })
      expect(gateway.sim.journal()).toHaveLength(21)
      const twice = { ...init, body: streamed(json), duplex: 'half' }
      const stream = await outcomeOf(() => gateway.call(submission, twice))
      expect(stream).toMatchObject({ where: 'fetch', name: 'TypeError' })
      expect(gateway.sim.journal()).toHaveLength(22)
    },
  )

  it('refuses a client that has left already, and notes nothing', async () => {
    await using gateway = await open()
    const signal = AbortSignal.abort()
    await expect(gateway.call('/v1/models', { headers: { authorization }, signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(gateway.sim.journal()).toEqual([])
  })

  it('sees a client leave that is still sending', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const leaving = new AbortController()
    let isRead = false
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isRead) return new Promise(() => {})
        isRead = true
        controller.enqueue(new TextEncoder().encode(json.slice(0, 20)))
      },
    })
    const headers = { authorization, ...typed }
    const init = { method: 'POST', headers, body, duplex: 'half', signal: leaving.signal }
    const sent = gateway.call(submission, init)
    sent.catch(() => {})
    await expect.poll(() => isRead).toBe(true)
    leaving.abort(new Error('enough'))
    await expect(sent).rejects.toThrow()
    expect(gateway.sim.tasks()).toEqual([])
    expect(await submitVideo(gateway)).toMatch(/^task_/)
  })

  it('sees a client leave that waits, and one that reads, and does not mind one that has all', async () => {
    const rules = [{ match: { op: 'video.poll' }, on: 1, delay: '10s' }]
    await using gateway = await open({
      rules,
      text: { timing: { tokensPerSecond: 1 } },
      clock: { mode: 'manual' },
    })
    const id = await submitVideo(gateway)
    const outcomes = (): string[] => gateway.sim.journal().map(({ outcome }) => outcome)
    const waiting = new AbortController()
    const init = { headers: { authorization }, signal: waiting.signal }
    const polled = gateway.call(`${submission}/${id}`, init)
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    waiting.abort()
    await expect(polled).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(outcomes).toEqual(['completed', 'aborted'])

    const reading = new AbortController()
    const { signal } = reading
    const body = { ...ask('tell me of kites'), stream: true }
    const reader = (await postChat(gateway, body, { signal })).body!.getReader()
    await reader.read()
    const next = reader.read()
    reading.abort()
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(outcomes).toEqual(['completed', 'aborted', 'aborted'])

    const late = new AbortController()
    const response = await gateway.call(`${submission}/${id}`, {
      headers: { authorization },
      signal: late.signal,
    })
    await response.text()
    late.abort()
    expect(outcomes().at(-1)).toBe('completed')
    expect((await pollVideo(gateway, id)).task_id).toBe(id)
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })

  it('rejects with the reason for which the client leaves', async () => {
    const rules = [{ match: { op: 'models.list' }, fault: 'hang' as const }]
    await using gateway = await open({ rules, clock: { mode: 'manual' } })
    const init = { headers: { authorization }, signal: AbortSignal.timeout(50) }
    await expect(gateway.call('/v1/models', init)).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
