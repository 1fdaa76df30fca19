import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { serveHandlers } from '../../src/cli/serve/handlers.ts'
import { startServer } from '../../src/server/index.ts'
import { outcomeOf } from '../support/faults.ts'
import { authorization, postVideo } from '../support/video.ts'

const folder = mkdtempSync(join(tmpdir(), 'greenroom-handlers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What handlers report about the requests that they received. */
const seen: string[] = []
Object.assign(globalThis, { seenByHandlers: seen })

const mocks = `import { http, HttpResponse, passthrough } from 'msw'
const tell = (what: string): void => void (globalThis as { seenByHandlers?: string[] }).seenByHandlers!.push(what)
export default [
  http.get('/v1/models', () => HttpResponse.json({ own: true })),
  http.post('*/v1/echo', async ({ request }) => HttpResponse.text(await request.text(), { status: 202 })),
  http.get('/cookies', () => {
    const headers = new Headers([['set-cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-own', 'yes']])
    return new HttpResponse(null, { status: 204, headers })
  }),
  http.all('/any', ({ request }) => HttpResponse.text(request.method)),
  http.post('/v1/video/generations', async ({ request }) => void tell(await request.text())),
  http.post('/v1/video/generations', () => passthrough()),
  http.get('/sse', () => {
    const headers = { 'content-type': 'text/event-stream', connection: 'keep-alive' }
    return new HttpResponse('data: own\\n\\n', { headers })
  }),
  http.get('/error', () => HttpResponse.error()),
  http.get('/throws', () => {
    throw new Error('the moon is down')
  }),
  http.get('/throws-response', () => {
    throw HttpResponse.text('thrown', { status: 418 })
  }),
  http.get('/breaks-off', () => {
    let sent = false
    const body = new ReadableStream({
      pull(controller) {
        if (sent) return new Promise((_, reject) => setTimeout(() => reject(new Error('it broke')), 20))
        sent = true
        controller.enqueue(new TextEncoder().encode('a beginning'))
      },
    })
    return new HttpResponse(body)
  }),
  http.get('/never', ({ request }) => {
    tell('called')
    return new Promise((resolve) => {
      request.signal.addEventListener('abort', () => {
        tell('left')
        resolve(undefined)
      })
    })
  }),
  http.get('/endless', () => {
    const body = new ReadableStream({
      pull: (controller) => new Promise((resolve) => setTimeout(resolve, 5)).then(() => controller.enqueue(new Uint8Array(10))),
      cancel: () => tell('let go'),
    })
    return new HttpResponse(body)
  }),
]
`

/** A folder with the handlers, and what of msw is installed there. */
function project(name: string, packages: Readonly<Record<string, string>>): string {
  const place = join(folder, name)
  for (const [at, from] of Object.entries(packages)) {
    const link = join(place, 'node_modules', at)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(from, link)
  }
  writeFileSync(join(place, 'mocks.ts'), mocks)
  return join(place, 'mocks.ts')
}

const installed = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))

const middleware = '@mswjs/http-middleware'

describe('handlers', () => {
  let file: string | undefined

  async function open() {
    file ??= project('express', { msw: installed('msw'), [middleware]: installed(middleware) })
    seen.length = 0
    const warnings: string[] = []
    const warn = (message: string): void => void warnings.push(message)
    const { inFront } = await serveHandlers(file, { bodyLimitBytes: 1024 * 1024, warn })
    const options = { port: 0, cacheDir: false, limits: { bodyMegabytes: 1 }, onWarning: warn } as const
    const server = await startServer({ ...options, inFront })
    return {
      journal: () => server.simulator.control.journal.list('default'),
      warnings,
      url: server.url,
      call: (path: string, init?: RequestInit): Promise<Response> => fetch(server.url + path, init),
      [Symbol.asyncDispose]: server.close,
    }
  }

  it('answer what they are for, and leave the rest to the gateway', async () => {
    await using transport = await open()
    expect(await (await transport.call('/v1/models')).json()).toEqual({ own: true })
    const echo = await transport.call('/v1/echo', { method: 'POST', body: 'hällo' })
    expect([echo.status, await echo.text()]).toEqual([202, 'hällo'])
    const cookies = await transport.call('/cookies')
    expect([cookies.status, cookies.headers.getSetCookie(), cookies.headers.get('x-own')]).toEqual([
      204,
      ['a=1', 'b=2'],
      'yes',
    ])
    expect(await (await transport.call('/any', { method: 'DELETE' })).text()).toBe('DELETE')
    const head = await transport.call('/any', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(transport.journal()).toEqual([])
    expect((await transport.call('/v1beta/models', { headers: { authorization } })).status).toBe(200)
    expect((await transport.call('/_greenroom/health')).status).toBe(200)
    expect((await transport.call('/nowhere')).status).toBe(404)
    expect(transport.journal().map(({ path, status }) => [path, status])).toEqual([
      ['/v1beta/models', 200],
      ['/nowhere', 404],
    ])
  })

  it('leave it to the server whether the connection stays open', async () => {
    await using transport = await open()
    for (const [requested, answered] of [
      ['close', 'close'],
      ['keep-alive', 'keep-alive'],
    ]) {
      const got = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${transport.url}/sse`, { headers: { connection: requested! }, agent: false }, resolve).on(
          'error',
          reject,
        )
      })
      expect([got.headers['content-type'], got.headers.connection]).toEqual(['text/event-stream', answered])
      got.resume()
    }
  })

  it('look on, and let requests through with their bodies', async () => {
    await using transport = await open()
    expect((await postVideo(transport, { prompt: 'a kite ünd so on' })).status).toBe(200)
    const form = new FormData()
    form.set('model', 'video-1')
    form.set('prompt', 'a form')
    const init = { method: 'POST', headers: { authorization }, body: form }
    expect((await transport.call('/v1/video/generations', init)).status).toBe(200)
    expect(transport.journal().map(({ prompt }) => prompt)).toEqual(['a kite ünd so on', 'a form'])
    expect(seen[0]).toContain('a kite ünd so on')
  })

  it('are not called for bodies that the simulator refuses for their size', async () => {
    await using transport = await open()
    const response = await postVideo(transport, { prompt: 'a kite', padding: 'x'.repeat(2 * 1024 * 1024) })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('request body exceeds 1 MB')
    expect(seen).toEqual([])
  })

  it('may fail without taking the server along', async () => {
    await using transport = await open()
    expect(await outcomeOf(() => transport.call('/error'))).toMatchObject({
      where: 'fetch',
      code: 'ECONNRESET',
    })
    const broken = await outcomeOf(() => transport.call('/breaks-off'))
    expect(broken).toMatchObject({ where: 'body', message: 'terminated', code: 'UND_ERR_SOCKET' })
    const thrown = await transport.call('/throws?x=1')
    const message = 'A handler failed on GET /throws: the moon is down'
    expect([thrown.status, await thrown.json()]).toEqual([
      500,
      { error: { code: 'handler_failed', message, type: 'greenroom_handlers' } },
    ])
    expect(transport.warnings).toEqual([`warning: ${message}`])
    const response = await transport.call('/throws-response')
    expect([response.status, await response.text()]).toEqual([418, 'thrown'])
    expect((await transport.call('/v1/models')).status).toBe(200)
  })

  it('hear of clients that leave', async () => {
    await using transport = await open()
    const leaving = new AbortController()
    const never = transport.call('/never', { signal: leaving.signal })
    await expect.poll(() => seen).toEqual(['called'])
    leaving.abort()
    await expect(never).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => seen).toEqual(['called', 'left'])
    const reader = (await transport.call('/endless')).body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => seen).toEqual(['called', 'left', 'let go'])
    expect((await transport.call('/v1/models')).status).toBe(200)
    expect(transport.warnings).toEqual([])
  })
})
