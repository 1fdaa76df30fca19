import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { expect, it, vi } from 'vitest'
import { createSimulator, type EmbeddedOptions, type HandlerOptions } from '../../src/index.ts'
import { describeMsw, type AnyMsw } from '../support/msw.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization, getContent, pollVideo, submitVideo } from '../support/video.ts'

const url = 'https://gateway.example'

/** A gateway behind MSW; what isn't its own fails. */
function open(msw: AnyMsw, options: EmbeddedOptions = {}, more: Partial<HandlerOptions<never>> = {}) {
  const sim = createSimulator({ cacheDir: false, ...options })
  const server = msw.setupServer(...sim.handlers({ baseUrl: url, http: msw.http, ...more }))
  server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
  return {
    sim,
    server,
    call: (path: string, init?: RequestInit): Promise<Response> => fetch(url + path, init),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await sim.close()
    },
  }
}

/** What is printed on the console until the end of the test. */
function printed(how: 'warn' | 'error') {
  const spy = vi.spyOn(console, how).mockImplementation(() => {})
  const lines = (): string[] => spy.mock.calls.map(([first]) => String(first))
  return { lines, [Symbol.dispose]: () => spy.mockRestore() }
}

const models = '/v1/models'
const init = { headers: { authorization } }

describeMsw((load) => {
  it('is one handler that says what it is', async () => {
    const msw = await load()
    await using gateway = open(msw, {}, { baseUrl: `${url}/api/` })
    const listed = gateway.server.listHandlers() as unknown as readonly { info: { header: string } }[]
    expect(listed.map(({ info }) => info.header)).toEqual([`ALL ${url}/api/* (greenroom)`])
  })

  it('answers the paths of the gateway on every host and port, without a base URL or with *', async () => {
    const msw = await load()
    await using sim = createSimulator({ cacheDir: false })
    const own = msw.http.get('https://own.example/hello', () => msw.HttpResponse.text('hello'))
    for (const handlers of [
      sim.handlers({ http: msw.http }),
      sim.handlers({ baseUrl: '*', http: msw.http }),
    ]) {
      const server = msw.setupServer(...handlers, own)
      server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
      using warnings = printed('warn')
      try {
        for (const origin of [
          'https://one.example',
          'http://another.example:8080',
          'http://127.0.0.1:9876',
        ]) {
          const call = (path: string, init?: RequestInit): Promise<Response> => fetch(origin + path, init)
          const id = await submitVideo({ call })
          await sim.clock.advanceUntil(id, 'SUCCESS')
          const link = (await pollVideo({ call }, id)).result_url as string
          expect(link).toBe(`${origin}/v1/videos/${id}/content`)
          const bytes = await (await fetch(link, init)).arrayBuffer()
          expect(Buffer.from(bytes).toString('latin1', 4, 8)).toBe('ftyp')
        }
        // Another path is for the next handler, unless it resembles one of the gateway.
        expect(await (await fetch('https://own.example/hello')).text()).toBe('hello')
        expect(warnings.lines()).toEqual([])
        const misspelled = await fetch('https://one.example/v1/video/generation', { ...init, method: 'POST' })
        expect(misspelled.status).toBe(404)
        expect(warnings.lines()[0]).toContain('Did you mean POST /v1/video/generations (video.submit)?')
        expect((server.listHandlers()[0] as unknown as { info: { header: string } }).info.header).toBe(
          'ALL * (greenroom)',
        )
      } finally {
        server.close()
      }
    }
  })

  it('answers the empty data: URL that the openai package fetches before an upload', async () => {
    const msw = await load()
    await using gateway = open(msw)
    using errors = printed('error')
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-test' })
    expect((await client.videos.create({ model: 'sora-2', prompt: 'a kite' })).status).toBe('queued')
    expect(await (await fetch('data:,')).text()).toBe('')
    expect(errors.lines()).toEqual([])
    expect(gateway.sim.journal()).toHaveLength(1)
  })

  it('lets handlers in front answer single paths, once or until they are taken away', async () => {
    const msw = await load()
    await using gateway = open(msw)
    const ask = async (): Promise<unknown> => {
      const body = (await (await gateway.call(models, init)).json()) as { from?: string }
      return body.from ?? 'gateway'
    }
    const own = (from: string) => () => msw.HttpResponse.json({ from })
    gateway.server.use(msw.http.get(`${url}${models}`, own('override')))
    gateway.server.use(msw.http.get(`${url}${models}`, own('once'), { once: true }))
    expect([await ask(), await ask(), await ask()]).toEqual(['once', 'override', 'override'])
    const id = await submitVideo(gateway)
    expect((await pollVideo(gateway, id)).task_id).toBe(id)
    gateway.server.resetHandlers()
    expect(await ask()).toBe('gateway')
  })

  it('lets a handler in front look on, and send requests where they wanted to go', async () => {
    const msw = await load()
    await using elsewhere = await listening()
    await using sim = createSimulator({ cacheDir: false })
    const server = msw.setupServer(...sim.handlers({ baseUrl: elsewhere.url, http: msw.http }))
    server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
    const seen: string[] = []
    server.use(
      msw.http.get(`${elsewhere.url}${models}`, () => msw.passthrough()),
      msw.http.all('*', ({ request }) => void seen.push(request.method)),
    )
    try {
      expect(await (await fetch(elsewhere.url + models, init)).text()).toBe('elsewhere')
      expect((await fetch(`${elsewhere.url}/v1beta/models`, init)).status).toBe(200)
    } finally {
      server.close()
    }
    expect(seen).toEqual(['GET'])
    expect(sim.journal().map(({ path }) => path)).toEqual(['/v1beta/models'])
  })

  it('leaves to MSW what is not below its address', async () => {
    const msw = await load()
    await using gateway = open(msw, {}, { baseUrl: `${url}/api` })
    using errors = printed('error')
    for (const path of [models, '/apis/v1/models', '/']) await expect(gateway.call(path)).rejects.toThrow()
    expect(errors.lines()).toHaveLength(3)
    expect((await gateway.call(`/api${models}`, init)).status).toBe(200)
    expect(gateway.sim.journal()).toHaveLength(1)
  })

  it('answers an unknown path as the gateway does, and warns once of what was meant', async () => {
    const msw = await load()
    await using gateway = open(msw)
    using warnings = printed('warn')
    const wrong = { ...init, method: 'POST', body: '{}' }
    for (let time = 0; time < 2; time++) {
      const response = await gateway.call('/v1/video/generation?x=1', wrong)
      expect([response.status, await response.json()]).toMatchObject([
        404,
        {
          error: {
            message:
              'Invalid URL (POST /v1/video/generation). Did you mean POST /v1/video/generations (video.submit)?',
          },
        },
      ])
      expect(response.headers.get('x-greenroom-hint')).toBe(
        'Did you mean POST /v1/video/generations (video.submit)?',
      )
    }
    expect(warnings.lines()).toEqual([
      `[greenroom] Warning: the gateway doesn't serve this path:\n\n  • POST ${url}/v1/video/generation\n\n` +
        'It answered with an error. Did you mean POST /v1/video/generations (video.submit)?\n' +
        'To answer it yourself, put a handler of your own in front: server.use(…).',
    ])
    expect(gateway.sim.journal().map(({ operation }) => operation)).toEqual([null, null])
  })

  it('fails a request for an unknown path, if configured', async () => {
    const msw = await load()
    await using gateway = open(msw, {}, { onUnknownPath: 'error' })
    using errors = printed('error')
    const message = `greenroom: the gateway doesn't serve GET ${url}/v1/model. Did you mean GET /v1/models (models.list)?`
    await expect(gateway.call('/v1/model', init)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message },
    })
    expect(errors.lines()[0]).toMatch(/^\[greenroom\] Error: [\s\S]*The request fails\. Did you mean GET/)
    expect((await gateway.call(models, init)).status).toBe(200)
  })

  it('leaves unknown paths to the next handlers, if configured', async () => {
    const msw = await load()
    await using sim = createSimulator({ cacheDir: false })
    const server = msw.setupServer(
      ...sim.handlers({ baseUrl: url, http: msw.http, onUnknownPath: 'bypass' }),
      msw.http.post(`${url}/health`, async ({ request }) => msw.HttpResponse.text(await request.text())),
    )
    server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
    using warnings = printed('warn')
    try {
      expect(await (await fetch(`${url}/health`, { method: 'POST', body: 'well' })).text()).toBe('well')
      expect((await fetch(url + models, init)).status).toBe(200)
    } finally {
      server.close()
    }
    expect([warnings.lines(), sim.journal().length]).toEqual([[], 1])
  })

  it('asks a function what becomes of an unknown path', async () => {
    const msw = await load()
    const seen: string[] = []
    await using gateway = open(
      msw,
      {},
      {
        onUnknownPath: (request, print) => {
          seen.push(request.method)
          if (request.method === 'PUT') print.error()
        },
      },
    )
    using errors = printed('error')
    expect((await gateway.call('/nowhere', init)).status).toBe(404)
    await expect(gateway.call('/nowhere', { ...init, method: 'PUT', body: '{}' })).rejects.toThrow()
    expect([seen, errors.lines().length]).toEqual([['GET', 'PUT'], 1])
  })

  it('gives each boundary its own handlers, also when they run at once', async () => {
    const msw = await load()
    await using gateway = open(msw)
    const inBoundary = (index: number): Promise<string[]> =>
      gateway.server.boundary(async () => {
        await using own = createSimulator({ cacheDir: false, seed: index })
        gateway.server.use(...own.handlers({ baseUrl: url, http: msw.http }))
        const prompt = `kite ${index} [[fail: number ${index}]]`
        const id = await submitVideo(gateway, { prompt })
        let record = await pollVideo(gateway, id)
        while (record.status !== 'FAILURE') record = await pollVideo(gateway, id)
        expect(own.tasks().map((task) => task.id)).toEqual([id])
        return [String(record.fail_reason)]
      })()
    const reasons = await Promise.all(Array.from({ length: 8 }, (_, index) => inBoundary(index)))
    expect(reasons.flat()).toEqual(Array.from({ length: 8 }, (_, index) => `number ${index}`))
    expect(gateway.sim.journal()).toEqual([])
  })

  it('shows complete responses to listeners of response:mocked', async () => {
    const msw = await load()
    await using gateway = open(msw)
    const id = await submitVideo(gateway)
    await gateway.sim.clock.advanceUntil(id, 'SUCCESS')
    const heard: Promise<[string, number]>[] = []
    const listen = ({ request, response }: { request: Request; response: Response }): void => {
      const size = response
        .clone()
        .arrayBuffer()
        .then(({ byteLength }) => byteLength)
      heard.push(size.then((bytes) => [new URL(request.url).pathname, bytes]))
    }
    gateway.server.events.on('response:mocked', listen)
    const video = (await (await getContent(gateway, id)).arrayBuffer()).byteLength
    const words = await (await postChat(gateway, { ...ask('tell of kites'), stream: true })).text()
    await expect.poll(() => heard.length).toBe(2)
    expect(await Promise.all(heard)).toEqual([
      [`/v1/videos/${id}/content`, video],
      ['/v1/chat/completions', Buffer.byteLength(words)],
    ])
  })

  it('refuses a strategy that it does not know', async () => {
    const msw = await load()
    await using sim = createSimulator({ cacheDir: false })
    const onUnknownPath = 'warning' as 'warn'
    expect(() => sim.handlers({ baseUrl: url, http: msw.http, onUnknownPath })).toThrow(
      'Failed to make handlers: onUnknownPath is "warning". Give "warn", "error", "bypass" or a function.',
    )
  })
})

async function listening() {
  const server = createServer((_request, response) => response.end('elsewhere'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it.each([
  ["Cannot find module 'msw'", 'MODULE_NOT_FOUND', 'msw was not found. Install it'],
  [
    "Cannot find module 'rettime'",
    'MODULE_NOT_FOUND',
    "could not be loaded from here (Cannot find module 'rettime')",
  ],
  ['Must use import to load ES Module: /x.mjs', 'ERR_REQUIRE_ESM', 'Import it yourself, and pass its http'],
])('explains what to do if it finds no msw: %s', async (message, code, advice) => {
  const createRequire = () => () => {
    throw Object.assign(new Error(`${message}\nRequire stack:\n- /y.mjs`), { code })
  }
  using _ = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ createRequire } as never)
  await using sim = createSimulator()
  expect(() => sim.handlers({ baseUrl: url })).toThrow(advice)
})
