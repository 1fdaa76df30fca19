import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/server/index.ts'

interface Message {
  line: string
  headers: [string, string][]
  body: string
  truncated: boolean
}

async function open(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, cacheDir: false, clock: 'manual', bodies: true, ...options })
  onTestFinished(server.close)
  return server
}

/** Headers and bodies of an exchange; by default of the latest. */
async function exchangeOf({ url, simulator }: RunningServer, number?: number) {
  const latest = number ?? simulator.control.journal.list('default').at(-1)!.number
  const response = await fetch(`${url}/_greenroom/journal/${latest}/exchange`)
  expect(response.status).toBe(200)
  return (await response.json()) as { request: Message; reply: Message }
}

const submit = (server: RunningServer, prompt: string, more: object = {}, query = ''): Promise<Response> =>
  fetch(`${server.url}/v1/video/generations${query}`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-very-secret-1234', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt, ...more }),
  })

/** Sends a request many times by one connection, without a wait for the responses. */
async function sendAtOnce(url: string, request: string, times: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(`${request}\r\n\r\n`.repeat(times))
  await once(socket.resume(), 'close')
}

it('stores headers and bodies of both sides, with keys masked', async () => {
  const server = await open()
  const response = await submit(server, 'a kite, sk-very-secret-1234', {}, '?key=sk-very-secret-1234&a=b')
  const sent = await response.text()
  const { request, reply } = await exchangeOf(server)
  expect(request.line).toBe('POST /v1/video/generations?key=sk-ve…34&a=b')
  expect(Object.fromEntries(request.headers)).toMatchObject({
    authorization: 'Bearer sk-ve…34',
    'content-type': 'application/json',
  })
  expect(JSON.parse(request.body)).toEqual({ model: 'video-1', prompt: 'a kite, sk-ve…34' })
  expect(reply).toMatchObject({ line: 'HTTP/1.1 200', body: sent, truncated: false })
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'Content-Type': 'application/json; charset=utf-8',
  })
})

it('masks keys wherever clients put them', async () => {
  const server = await open()
  const secret = 'a-rather-secret-value'
  const headers = {
    'x-goog-api-key': secret,
    'mj-api-secret': secret,
    cookie: `session=${secret}`,
    'proxy-authorization': `Basic ${secret}`,
    'x-api-key': secret,
    referer: `https://a.example/?api_key=${secret}`,
  }
  await fetch(`${server.url}/v1/models?access_token=${secret}`, { headers })
  await fetch(`${server.url}/mj/task/1/fetch`, { headers: { 'mj-api-secret': 'sk-another-secret-9' } })
  const texts = [JSON.stringify(await exchangeOf(server, 1)), JSON.stringify(await exchangeOf(server, 2))]
  expect(texts[0]).toContain('"cookie","…"')
  expect(texts.join()).not.toContain(secret)
  expect(texts.join()).not.toContain('sk-another-secret-9')
})

it('stores images and clips by their size only', async () => {
  const server = await open()
  const png = readFileSync('docs/images/drawing-everyday.png')
  const image = `data:image/png;base64,${png.toString('base64')}`
  await submit(server, 'a kite', { image })
  const { request } = await exchangeOf(server)
  expect(JSON.parse(request.body)).toMatchObject({
    image: expect.stringMatching(/^data:image\/png;base64,\(\d+ bytes\)$/),
  })
  const form = new FormData()
  form.set('prompt', 'a boat')
  form.set('model', 'video-1')
  form.set('input_reference', new Blob([png], { type: 'image/png' }), 'photo.png')
  await fetch(`${server.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-x' },
    body: form,
  })
  const sent = (await exchangeOf(server)).request.body
  expect(sent).toContain('a boat')
  expect(sent).toContain(`(${png.length} bytes)`)
  expect(sent.length).toBeLessThan(1_000)
})

it('stores 16 kB of a body, and says that there was more', async () => {
  const server = await open()
  await submit(server, 'kite, '.repeat(5_000))
  const { request, reply } = await exchangeOf(server)
  expect([request.truncated, request.body.length]).toEqual([true, 16 * 1024])
  expect(reply.truncated).toBe(false)
})

it('shows what a fault really sent', async () => {
  const server = await open({ clock: 'auto' })
  const { control } = server.simulator
  const poll = () => fetch(`${server.url}/v1/models`, { headers: { authorization: 'Bearer sk-x' } })
  const after = async (fault: unknown): Promise<Message> => {
    control.rules.next({ match: { op: 'models.list' }, fault })
    await poll()
      .then((response) => response.text())
      .catch(() => '')
    return (await exchangeOf(server)).reply
  }
  const whole = await (await poll()).text()
  expect((await after('reset')).line).toBe('(the connection was reset before a response)')
  const cut = await after('truncate')
  expect(cut.body).toMatch(/\n\(the connection was closed here\)$/)
  expect(whole.startsWith(cut.body.split('\n(')[0]!)).toBe(true)
  const broken = await after('corrupt')
  expect(broken.body).not.toBe(whole)
})

it('shows the chunks of a stream, and where it was cut', async () => {
  const server = await open({ clock: 'auto' })
  const body = JSON.stringify({
    model: 'sim-text-1',
    stream: true,
    messages: [{ role: 'user', content: '[[cut after 3]] Hi' }],
  })
  const headers = { authorization: 'Bearer sk-x', 'content-type': 'application/json' }
  await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    .then((response) => response.text())
    .catch(() => '')
  const { reply } = await exchangeOf(server)
  expect(reply.body.match(/^data: /gm)!.length).toBeGreaterThan(2)
  expect(reply.body).toMatch(/\n\(the connection was closed here\)$/)
})

it('forgets the oldest, those that the journal forgets, and everything in a snapshot', async () => {
  const server = await open({ limits: { journalEntries: 5_000 } })
  const { simulator, url } = server
  await sendAtOnce(
    url,
    'GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-very-secret-1234',
    2_002,
  )
  const status = async (number: number): Promise<number> =>
    (await fetch(`${url}/_greenroom/journal/${number}/exchange`)).status
  expect([await status(2), await status(3), await status(2_002)]).toEqual([404, 200, 200])
  expect(JSON.stringify(simulator.control.state.snapshot())).not.toContain('sk-very-secret')
  await fetch(`${url}/_greenroom/journal`, { method: 'DELETE' })
  expect(await status(2_002)).toBe(404)
})

it('stores nothing unless it is switched on', async () => {
  const { url } = await open({ bodies: false })
  await fetch(`${url}/v1/models`)
  const response = await fetch(`${url}/_greenroom/journal/1/exchange`)
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('bodies: true')])
})
