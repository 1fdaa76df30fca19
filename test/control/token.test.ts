import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { isLoopback } from '../../src/control/guard.ts'
import { createSimulator } from '../../src/index.ts'
import { startServer, type ServerOptions } from '../../src/server/index.ts'
import { runCommandLine } from '../cli/run-in-folder.ts'
import { draw } from '../support/drawing.ts'
import { describeTransports } from '../support/transports.ts'

const token = 'a-token-of-sixteen-signs'

/** A server that listens everywhere, as a container does. */
const everywhere = (options: ServerOptions = {}): ReturnType<typeof startServer> =>
  startServer({ port: 0, host: '0.0.0.0', cacheDir: false, ...options })

const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(url, { headers })).status

describeTransports((open) => {
  it('requires the token for control calls, if one is set', async () => {
    await using transport = await open({ controlToken: token })
    const status = async (authorization?: string): Promise<number> =>
      (await transport.call('/_greenroom/clock', { headers: authorization ? { authorization } : {} })).status
    expect(await status()).toBe(401)
    expect(await status('Bearer another-token-of-sixteen')).toBe(401)
    expect(await status(`Bearer ${token}x`)).toBe(401)
    expect(await status(`Bearer ${token.slice(0, -1)}`)).toBe(401)
    expect(await status(`Basic ${token}`)).toBe(401)
    expect(await status(`bearer ${token}`)).toBe(200)
  })

  it('exchanges the token for a cookie, which only pages of the server itself can use', async () => {
    await using transport = await open({ controlToken: token, controlOrigins: ['http://localhost:5173'] })
    const { sim } = transport
    const call = (
      path: string,
      headers: Record<string, string>,
      body?: object,
    ): ReturnType<typeof sim.fetch> =>
      sim.fetch(`http://127.0.0.1:4646/_greenroom${path}`, {
        headers: { host: '127.0.0.1:4646', ...headers },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    const refused = await call('/session', {}, { token: `${token}x` })
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null])
    expect((await call('/session', { origin: 'http://evil.example' }, { token })).status).toBe(403)
    const opened = await call('/session', {}, { token })
    const [cookie = '', ...attributes] = opened.headers.get('set-cookie')!.split('; ')
    expect(attributes).toEqual(['Path=/_greenroom', 'HttpOnly', 'SameSite=Strict'])
    expect(cookie).toMatch(/^greenroom-4646=[0-9a-f]{32}$/)
    expect(cookie).not.toContain(token)

    const status = async (headers: Record<string, string>): Promise<number> =>
      (await call('/clock', headers)).status
    expect(await status({ cookie })).toBe(200)
    expect(await status({ cookie: `other=1; ${cookie}`, origin: 'http://127.0.0.1:4646' })).toBe(200)
    expect(await status({ cookie: `${cookie}0` })).toBe(401)
    expect(await status({ cookie: cookie.replace('4646', '4647') })).toBe(401)
    expect(await status({ cookie, origin: 'http://localhost:5173' })).toBe(401)
    expect(await status({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403)
  })

  it('needs no session without a token, and opens none where it is closed', async () => {
    await using transport = await open()
    const response = await transport.call('/_greenroom/session', { method: 'POST', body: '{"token":"any"}' })
    expect([response.headers.get('set-cookie'), await response.json()]).toEqual([
      null,
      { session: 'not needed' },
    ])
  })

  it('allows an allowed origin to send the token', async () => {
    await using transport = await open({ controlToken: token, controlOrigins: ['http://localhost:5173'] })
    const origin = 'http://localhost:5173'
    const preflight = await transport.call('/_greenroom/reset', { method: 'OPTIONS', headers: { origin } })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization,content-type,last-event-id,x-greenroom-namespace',
    ])
    const headers = { origin, authorization: `Bearer ${token}` }
    expect((await transport.call('/_greenroom/reset', { method: 'POST', headers })).status).toBe(200)
  })
})

it('refuses a short or malformed token at start', () => {
  for (const controlToken of ['', 'short', 'has spaces in it, and more'])
    expect(() => createSimulator({ cacheDir: false, controlToken })).toThrow('at least 16 characters')
})

it('refuses to listen on a public address without a list of valid keys', async () => {
  await expect(everywhere()).rejects.toThrow(
    'Failed to listen on 0.0.0.0: other machines could reach it, and every key that starts with sk- would be valid. ' +
      'Set valid keys by --keys sk-mine',
  )
  await expect(startServer({ port: 0, host: 'my-host', cacheDir: false })).rejects.toThrow('--keys')
})

it('accepts only listed keys on a public address, no namespace keys', async () => {
  const server = await everywhere({ keys: ['sk-mine'] })
  const models = `${server.url}/v1/models`
  expect(await statusOf(models, { authorization: 'Bearer sk-mine' })).toBe(200)
  expect(await statusOf(models, { authorization: 'Bearer sk-sim-alice' })).toBe(401)
  expect(await statusOf(models, { authorization: 'Bearer sk-other' })).toBe(401)
  await server.close()
})

it('accepts container host names from clients with the token, but no pages', async () => {
  const server = await everywhere({ keys: ['sk-mine'], controlToken: token })
  const call = async (host: string, more: Record<string, string> = {}): Promise<number> => {
    const sent = request(`${server.url}/_greenroom/clock`, { headers: { host, ...more } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode!
  }
  const authorization = `Bearer ${token}`
  for (const host of ['greenroom:4646', 'gateway.test']) {
    expect(await call(host, { authorization })).toBe(200)
    expect(await call(host)).toBe(401)
    expect(await call(host, { origin: `http://${host}` })).toBe(401)
    expect(await call(host, { authorization, origin: 'http://evil.example' })).toBe(403)
  }
  await server.close()
})

it('closes the control API on a public address unless there is a token', async () => {
  const closed = await everywhere({ keys: ['sk-mine'] })
  const refused = await fetch(`${closed.url}/_greenroom/clock`, {
    headers: { authorization: 'Bearer sk-mine' },
  })
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('GREENROOM_CONTROL_TOKEN'),
  ])
  await closed.close()

  const open = await everywhere({ keys: ['sk-mine'], controlToken: token })
  expect(await statusOf(`${open.url}/_greenroom/clock`)).toBe(401)
  expect(await statusOf(`${open.url}/_greenroom/clock`, { authorization: `Bearer ${token}` })).toBe(200)
  await open.close()
})

it('tells a health check without a token that it runs, and nothing else', async () => {
  const health = async (url: string, headers: Record<string, string> = {}): Promise<unknown[]> => {
    const response = await fetch(`${url}/_greenroom/health`, { headers })
    return [response.status, await response.json()]
  }
  const closed = await everywhere({ keys: ['sk-mine'] })
  expect(await health(closed.url)).toEqual([200, { ready: true }])
  expect(await health(closed.url, { authorization: `Bearer ${token}` })).toEqual([403, expect.anything()])
  expect(await health(closed.url, { origin: 'http://evil.example' })).toEqual([403, expect.anything()])
  await closed.close()

  const open = await everywhere({ keys: ['sk-mine'], controlToken: token })
  expect(await health(open.url)).toEqual([200, { ready: true }])
  expect(await health(open.url, { authorization: 'Bearer another' })).toEqual([401, expect.anything()])
  const [, all] = await health(open.url, { authorization: `Bearer ${token}` })
  expect(all).toMatchObject({ ready: true, seed: '1', namespaces: 1 })
  await open.close()
})

it.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['', false],
  ['10.0.0.1', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
])('knows whether only this machine reaches %j', (host, isOurs) => {
  expect(isLoopback(host)).toBe(isOurs)
})

it('prints how to call the control API, and reads the token from the environment', async () => {
  const printed: string[] = []
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const environment = { GREENROOM_CONTROL_TOKEN: token }
  const terminal = {
    print: (text: string) => void printed.push(text),
    warn: (text: string) => void printed.push(text),
    interrupted,
    folder: process.cwd(),
    environment,
  }
  const code = runCommandLine(['serve', '--port', '0', '--cache-dir', 'false'], terminal)
  await expect.poll(() => printed[0]).toContain('Authorization: Bearer $GREENROOM_CONTROL_TOKEN')
  const [url] = printed[0]!.split('\n')
  expect(await statusOf(`${url}/_greenroom/clock`)).toBe(401)
  const explain = ['explain', '1', '--url', url!]
  await runCommandLine(explain, { ...terminal, environment: {} })
  expect(printed.at(-1)).toContain('The control API needs the token')
  await runCommandLine(explain, terminal)
  expect(printed.at(-1)).toContain('There is no exchange 1')
  interrupt()
  expect(await code).toBe(0)
})

it('refuses task notifications as control calls', async () => {
  const server = await startServer({
    port: 0,
    cacheDir: false,
    drawing: { notifyHook: true },
    timing: 'instant',
  })
  const transport = { call: (path: string, init?: RequestInit) => fetch(server.url + path, init) }
  const notifyHook = `${server.url}/_greenroom/reset`
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook })
  const reports = (): unknown[] =>
    server.simulator.control.journal.list('default').filter(({ operation }) => operation === 'mj.notify')
  await expect.poll(() => reports()[0]).toMatchObject({ outcome: 'failed' })
  expect(reports()[0]).toMatchObject({ status: 403, outcome: 'failed' })
  expect(server.simulator.control.tasks.list('default')).toHaveLength(1)
  await server.close()
})

it('marks task notifications as cross-site', async () => {
  let seen: string | undefined
  const receiver = createServer((request, response) => {
    seen = String(request.headers['sec-fetch-site'])
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  await using sim = createSimulator({ cacheDir: false, drawing: { notifyHook: true } })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: `http://127.0.0.1:${port}/` })
  await expect.poll(() => seen).toBe('cross-site')
  receiver.closeAllConnections()
  receiver.close()
})
