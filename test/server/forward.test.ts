import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createFallback, parseTargetUrl } from '../../src/server/forward.ts'
import { type RunningServer, startServer } from '../../src/server/start.ts'

type Simulator = RunningServer['simulator']

/** A gateway behind greenroom. */
async function target(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serveWith(fallback: string): Promise<{ url: string; simulator: Simulator }> {
  let simulator!: Simulator
  const server = await startServer({
    port: 0,
    cacheDir: false,
    between: (started) => (simulator = started),
    inFront: createFallback(parseTargetUrl(fallback), () => simulator),
  })
  onTestFinished(server.close)
  return server
}

const authorization = 'Bearer sk-real'

it('passes on what it does not know, with body and key, below the path of the target', async () => {
  const seen: unknown[] = []
  const url = await target((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { host, authorization: key, connection, via, 'x-hop': hop } = request.headers
      seen.push([request.method, request.url, body, host, key, connection, hop, via])
      response.writeHead(201, 'Made', { 'set-cookie': ['a=1', 'b=2'], 'x-other': 'ü' }).end('{"ok":true}')
    })
  })
  const { url: own } = await serveWith(`${url}/base/`)
  const response = await fetch(`${own}/v1/audio/speech?voice=a`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"a":1}',
  })
  expect([response.status, response.statusText, await response.text()]).toEqual([201, 'Made', '{"ok":true}'])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  const [first] = seen as string[][]
  expect(first!.slice(0, 5)).toEqual([
    'POST',
    '/base/v1/audio/speech?voice=a',
    '{"a":1}',
    new URL(url).host,
    authorization,
  ])
  expect(first![7]).toMatch(/^1\.1 greenroom-[0-9a-f]{12}$/)
})

it('answers itself what it knows, also control calls and preflights', async () => {
  const seen: string[] = []
  const url = await target((request, response) => {
    seen.push(request.url!)
    response.end('{}')
  })
  const { url: own } = await serveWith(url)
  const preflight = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
  for (const [path, init] of [
    ['/v1/models', {}],
    ['/_greenroom/health', {}],
    ['/_greenroom/no-such', {}],
    ['/ns/other/v1/models', {}],
    ['/v1/chat/completions', { method: 'OPTIONS', headers: preflight }],
  ] as const)
    await fetch(own + path, { ...init, headers: { authorization, ...('headers' in init && init.headers) } })
  expect(seen).toEqual([])
  await fetch(`${own}/ns/other/v1/audio/voices`, { headers: { authorization } })
  expect(seen).toEqual(['/v1/audio/voices'])
})

it('drops headers of one connection, both ways', async () => {
  let headers: IncomingMessage['headers'] = {}
  const url = await target((request, response) => {
    ;({ headers } = request)
    response.writeHead(200, { connection: 'x-secret', 'x-secret': '1', 'keep-alive': 'timeout=9' }).end()
  })
  const { url: own } = await serveWith(url)
  const outgoing = send(`${own}/v1/other`, {
    headers: {
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic a',
      'x-own': '1',
    },
  }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  expect(headers).toMatchObject({ 'x-own': '1' })
  for (const name of ['x-hop', 'te', 'proxy-authorization']) expect(headers).not.toHaveProperty(name)
  expect(response.headers).not.toHaveProperty('x-secret')
})

it('streams without buffering', async () => {
  let next = (): void => {}
  const url = await target((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    next = () => response.write('data: more\n\n')
  })
  const { url: own } = await serveWith(url)
  const response = await fetch(`${own}/v1/other`)
  const reader = response.body!.getReader()
  for (let count = 0; count < 3; count++) {
    next()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toBe('data: more\n\n')
  }
  await reader.cancel()
})

it('leaves the target when the client leaves', async () => {
  let left: Promise<unknown> = Promise.resolve()
  const url = await target((_request, response) => {
    response.writeHead(200).flushHeaders()
    left = once(response, 'close')
  })
  const { url: own } = await serveWith(url)
  const response = await fetch(`${own}/v1/other`)
  await response.body!.cancel()
  await left
})

it('breaks off where the target breaks off', async () => {
  const url = await target((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  })
  const { url: own } = await serveWith(url)
  const response = await fetch(`${own}/v1/other`)
  await expect(response.text()).rejects.toThrow()
})

it('says in the envelope that the target is down', async () => {
  const { url: own } = await serveWith('http://127.0.0.1:9')
  const response = await fetch(`${own}/v1/other`)
  expect([response.status, await response.json()]).toEqual([
    502,
    {
      error: {
        code: 'fallback_failed',
        message: 'Failed to reach http://127.0.0.1:9: nothing listens there. Start it, or correct the URL.',
        type: 'new_api_error',
      },
    },
  ])
})

it('refuses a target that leads back', async () => {
  let simulator!: Simulator
  const itself = parseTargetUrl('http://127.0.0.1:1')
  const fallback = createFallback(itself, () => simulator)
  const between = (started: Simulator): Simulator => (simulator = started)
  const server = await startServer({ port: 0, cacheDir: false, between, inFront: fallback })
  itself.port = String(server.port)
  onTestFinished(server.close)
  const response = await fetch(`${server.url}/v1/other`)
  expect(response.status).toBe(508)
  expect(await response.text()).toContain('it leads back to this process')
})

it.each(['http://127.0.0.1:1/v1/other', '//127.0.0.1:1/v1/other', '/v1/other@127.0.0.1:1'])(
  'sends a request for %s to no other host',
  async (path) => {
    const seen: string[] = []
    const url = await target((request, response) => {
      seen.push(request.url!)
      response.end('{}')
    })
    const { port } = new URL((await serveWith(url)).url)
    const [response] = (await once(send({ host: '127.0.0.1', port, path }).end(), 'response')) as [
      IncomingMessage,
    ]
    response.resume()
    expect([response.statusCode, seen]).toEqual([200, [path.replace('http://127.0.0.1:1', '')]])
  },
)

it('passes redirects to the client, so that its key goes nowhere else', async () => {
  const url = await target((_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  )
  const { url: own } = await serveWith(url)
  const response = await fetch(`${own}/v1/other`, { redirect: 'manual', headers: { authorization } })
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
})

it.each([
  ['gateway.example', 'is not a URL of a gateway'],
  ['ftp://gateway.example', 'is not a URL of a gateway'],
  ['https://me:secret@gateway.example', 'must have no credentials'],
  ['https://gateway.example/?key=secret', 'must have no credentials'],
])('refuses %s as a target', (text, message) => {
  expect(() => parseTargetUrl(text)).toThrow(message)
  expect(() => parseTargetUrl(text)).not.toThrow(/[?:]secret|=secret/)
})
