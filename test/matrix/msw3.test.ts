import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'
import { VideoClient } from '../support/video-client.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization, getContent, pollVideo, postVideo, submitVideo } from '../support/video.ts'

// msw 3 is no dependency: it wants a newer Node than greenroom does. `.ci/run` installs it into a folder of its
// own and names that folder here.
const folder = process.env['GREENROOM_MSW3']
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const reason =
  major < 22 || (major === 22 && minor < 12)
    ? `skipped: msw 3 needs Node 22.12, this is ${process.versions.node}`
    : folder === undefined
      ? 'skipped: GREENROOM_MSW3 names no folder that has msw 3 in its node_modules'
      : undefined

const url = 'https://gateway.example'

/** What both majors have in common, as msw 2 describes it, and the option that msw 3 renamed. */
async function loadMsw3() {
  const { resolve } = createRequire(join(folder!, 'package.json'))
  const load = (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href)
  const { http } = (await load('msw')) as typeof import('msw')
  const { setupServer } = (await load('msw/node')) as {
    setupServer: (...handlers: ReturnType<typeof http.all>[]) => {
      listen(options: { onUnhandledFrame: 'error' | 'bypass' }): void
      close(): void
      use(...handlers: unknown[]): void
      listHandlers(): readonly unknown[]
    }
  }
  return { http, setupServer }
}

/** The msw transport of test/support/transports.ts, with msw 3. */
async function open(options: EmbeddedOptions = {}, baseUrl = url) {
  const { http, setupServer } = await loadMsw3()
  const sim = createSimulator({ cacheDir: false, ...options })
  const server = setupServer(...sim.handlers({ baseUrl, http }))
  server.listen({ onUnhandledFrame: 'error' })
  return {
    sim,
    call: (path: string, init?: RequestInit): Promise<Response> => fetch(baseUrl + path, init),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await sim.close()
    },
  }
}

describe.skipIf(reason)(`with transport msw 3${reason ? ` (${reason})` : ''}`, () => {
  it('is given msw 3', () => {
    const manifest = createRequire(join(folder!, 'package.json'))('msw/package.json') as { version: string }
    expect(manifest.version).toMatch(/^3\./)
  })

  it('shows queued, then IN_PROGRESS, then SUCCESS with a link, as time passes', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: '[[queued 10s]] [[render 20s]] a kite' })
    expect(await pollVideo(transport, id)).toMatchObject({ status: 'queued', progress: '0%' })

    await transport.sim.clock.advance('20s')
    expect(await pollVideo(transport, id)).toMatchObject({ status: 'IN_PROGRESS', progress: '64%' })

    await transport.sim.clock.advance('10s')
    expect(await pollVideo(transport, id)).toMatchObject({
      status: 'SUCCESS',
      result_url: `${url}/v1/videos/${id}/content`,
    })
  })

  it('serves a real MP4, its head, its ranges, and nothing to who has it already', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')

    const whole = await getContent(transport, id)
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect(whole.headers.get('content-length')).toBe(String(bytes.length))
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')

    const head = await getContent(transport, id, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      String(bytes.length),
      0,
    ])
    const part = await getContent(transport, id, { headers: { range: 'bytes=4-7' } })
    expect([part.status, await part.text()]).toEqual([206, 'ftyp'])
    const again = await getContent(transport, id, {
      headers: { 'if-none-match': whole.headers.get('etag')! },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('fails a task with the reason that its prompt asks for', async () => {
    await using transport = await open()
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: content policy]]' })
    await transport.sim.clock.advance('1m')
    expect(await pollVideo(transport, id)).toMatchObject({ status: 'FAILURE', fail_reason: 'content policy' })
  })

  it('refuses in the words of the gateway', async () => {
    await using transport = await open()
    const unknown = await transport.call('/v1/video/generations/unknown', { headers: { authorization } })
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { code: 'task_not_exist' }])
    expect((await transport.call('/v1/video/generations/unknown')).status).toBe(401)
    expect((await postVideo(transport, { prompt: '' })).status).toBe(400)
    expect((await transport.call('/no/such/address', { headers: { authorization } })).status).toBe(404)
  })

  it('takes a body of a megabyte', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const response = await postVideo(transport, { prompt: 'a kite', padding: 'x'.repeat(1_000_000) })
    expect(response.status).toBe(200)
  })

  it('moves an auto clock by the poll step, so that a plain polling loop ends at once', async () => {
    await using transport = await open()
    const id = await submitVideo(transport, { prompt: '[[queued 1m]] [[render 2m]] a slow kite' })
    let polls = 0
    while ((await pollVideo(transport, id)).status !== 'SUCCESS') polls += 1
    expect(polls).toBe(35)
  })

  it('answers below the path of a base URL, and nothing outside it', async () => {
    await using transport = await open({}, `${url}/api`)
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    expect((await pollVideo(transport, id)).result_url).toBe(`${url}/api/v1/videos/${id}/content`)
    await expect(fetch(`${url}/apis/v1/video/generations/${id}`)).rejects.toThrow()
  })

  it('lets a client leave while its answer is being held, and serves the next', async () => {
    await using transport = await open({
      rules: [{ match: { op: 'video.poll' }, times: 1, delay: 'forever' }],
    })
    const id = await submitVideo(transport)
    const left = transport.call(`/v1/video/generations/${id}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(100),
    })
    await expect(left).rejects.toThrow(/abort|timeout/i)
    expect((await pollVideo(transport, id)).task_id).toBe(id)
  })

  it('leaves fetch as it was when it is closed', async () => {
    const before = globalThis.fetch
    await (await open())[Symbol.asyncDispose]()
    expect(globalThis.fetch).toBe(before)
  })

  it('streams on the clock, and ends a stream whose client leaves or lets go of it', async () => {
    const timing = { tokensPerSecond: 1 }
    await using transport = await open({ text: { timing }, clock: { mode: 'manual' } })
    const leaving = new AbortController()
    const stream = async (signal?: AbortSignal): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
      const fields = { ...ask('tell a story'), stream: true }
      return (await postChat(transport, fields, signal ? { signal } : {})).body!.getReader()
    }
    const left = await stream(leaving.signal)
    await left.read()
    leaving.abort()
    await expect.poll(() => transport.sim.journal()[0]!.outcome).toBe('aborted')
    const letGo = await stream()
    await letGo.read()
    await letGo.cancel()
    await expect.poll(() => transport.sim.journal()[1]!.outcome).toBe('aborted')
    expect(transport.sim.clock.status().waiters).toBe(0)

    const whole = await stream()
    await whole.read()
    await transport.sim.clock.advance('1h')
    let read = await whole.read()
    while (!read.done) read = await whole.read()
    await expect.poll(() => transport.sim.journal()[2]!.outcome).toBe('completed')
  })
})

const msw3 = reason ? undefined : await loadMsw3()

describe.skipIf(!msw3)(`useGreenroom with a server of msw 3${reason ? ` (${reason})` : ''}`, () => {
  const server = msw3?.setupServer()
  beforeAll(() => server?.listen({ onUnhandledFrame: 'bypass' }))
  afterAll(() => server?.close())
  const gateway = useGreenroom({ cacheDir: false, ...(msw3 && { server: server!, http: msw3.http }) })

  it.each(['one', 'another'])('gives %s test a gateway, and judges it', async () => {
    const { baseUrl, key } = gateway
    expect(await new VideoClient({ baseUrl, key }).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    expect(gateway).toHaveDownloaded({ transport: 'msw' }, { times: 1 })
  })

  it('refuses a host that no handler answers', async () => {
    gateway.skipVerdict()
    const print = vi.spyOn(console, 'error').mockReturnValue()
    await expect(fetch('https://nowhere.example/')).rejects.toThrow(TypeError)
    expect(print).toHaveBeenCalledWith(expect.stringContaining('GET https://nowhere.example/ was refused'))
    print.mockRestore()
  })
})
