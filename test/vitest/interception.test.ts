import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { useGreenroom, type TestGateway } from '../../src/vitest/index.ts'
import { startInterception } from '../../src/vitest/interception.ts'
import { VideoClient } from '../support/video-client.ts'

/** A client that calls the global fetch. */
const clientOf = ({ baseUrl, key }: TestGateway): VideoClient => new VideoClient({ baseUrl, key })

describe('via a port', () => {
  const gateway = useGreenroom({ cacheDir: false, via: 'port' })

  it.each([1, 2])('answers on this machine, test %i', async () => {
    expect(gateway.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ns\//)
    expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    expect(gateway).toHaveDownloaded({ transport: 'socket' }, { times: 1 })
  })

  it('takes a client whose key is fixed for that of the test', async () => {
    const { origin } = new URL(gateway.baseUrl)
    await new VideoClient({ baseUrl: origin, key: 'sk-fixed' }).make('a kite')
    expect(gateway).toHaveSettled()
  })
})

describe('via fetch', () => {
  const gateway = useGreenroom({ cacheDir: false, via: 'fetch', baseUrl: 'https://videos.example/api/' })

  it('provides a fetch, and does not replace the global one', async () => {
    const before = globalThis.fetch
    const { baseUrl, key } = gateway
    gateway.skipVerdict()
    expect(baseUrl).toBe(`https://videos.example/api/ns/${gateway.name}`)
    await new VideoClient({ baseUrl, key, fetch: gateway.fetch }).make('a kite')
    expect(gateway).toHaveDownloaded({ transport: 'direct' })
    const response = await gateway.fetch(`${baseUrl}/v1/video/generations/${gateway.tasks()[0]!.id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await response.json()).toHaveProperty(
      'data.result_url',
      expect.stringContaining(`${baseUrl}/v1/videos/`),
    )
    expect(globalThis.fetch).toBe(before)
  })
})

describe('via a server of the user', () => {
  const server = setupServer(http.get('https://elsewhere.example/', () => HttpResponse.text('mine')))
  beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  const gateway = useGreenroom({ cacheDir: false, server })

  it('keeps them when the server is reset in the middle of a test', async () => {
    server.use(http.get('https://elsewhere.example/', () => HttpResponse.text('another')))
    server.resetHandlers()
    expect(await (await fetch('https://elsewhere.example/')).text()).toBe('mine')
    expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    server.resetHandlers(http.get('https://elsewhere.example/', () => HttpResponse.text('initial')))
    expect(await (await fetch('https://elsewhere.example/')).text()).toBe('initial')
    expect(await clientOf(gateway).make('a boat')).toMatchObject({ status: 'SUCCESS' })
    server.resetHandlers(http.get('https://elsewhere.example/', () => HttpResponse.text('mine')))
  })

  it.each([1, 2])('adds handlers to those of the server, though they are reset after test %i', async () => {
    expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    expect(await (await fetch('https://elsewhere.example/')).text()).toBe('mine')
    expect(gateway).toHaveDownloaded({ transport: 'msw' })
  })

  it('refuses a host that no handler answers, whatever the server itself allows', async () => {
    const refused = await fetch('https://nowhere.example/').catch((error: unknown) => error)
    expect((refused as Error).cause).toMatchObject({
      message: expect.stringContaining("useGreenroom({ allowHosts: ['nowhere.example'] })"),
    })
    server.use(http.get('https://nowhere.example/', () => HttpResponse.text('mine')))
    expect(await (await fetch('https://nowhere.example/')).text()).toBe('mine')
  })

  it('lets a handler of a test win', async () => {
    server.use(http.post('https://gateway.example/*', () => HttpResponse.json({ task_id: 'mine' })))
    expect(await clientOf(gateway).submit('a kite')).toBe('mine')
    expect(gateway).not.toHaveSubmitted()
  })
})

describe('with a callback for unhandled requests', () => {
  const urls: string[] = []
  useGreenroom({
    cacheDir: false,
    onUnhandledRequest: ({ url }, print) => {
      urls.push(url)
      print.error()
    },
  })

  it('calls it', async () => {
    await expect(fetch('https://elsewhere.example/')).rejects.toThrow()
    expect(urls).toEqual(['https://elsewhere.example/'])
  })
})

it('refuses options that contradict each other', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const server = setupServer()
  await expect(startInterception(sim.core, { via: 'port', baseUrl: 'https://a.example' })).rejects.toThrow(
    'Failed to use https://a.example: via a port the gateway has its own URL.',
  )
  await expect(startInterception(sim.core, { via: 'fetch', server })).rejects.toThrow('via is "fetch"')
  await expect(startInterception(sim.core, { baseUrl: 'gateway.example' })).rejects.toThrow(
    'baseUrl is "gateway.example"',
  )
})

let outside: TestGateway
describe('a group that has one', () => {
  outside = useGreenroom({ cacheDir: false, via: 'fetch' })

  it('has one', () => expect(outside.key).toBe(`sk-sim-${outside.name}`))
})

it('has no gateway outside of that group', () => {
  expect(() => outside.baseUrl).toThrow('no test is running')
  // Printing or awaiting it does not throw.
  expect(String(Object.keys(outside))).toBe('')
  expect((outside as { then?: unknown }).then).toBeUndefined()
})

it('wants the URL that clients call', async () => {
  await using sim = createSimulator({ cacheDir: false })
  await expect(startInterception(sim.core, { baseUrl: '*' })).rejects.toThrow('Failed to use baseUrl "*"')
})

it('leaves the server of the user as it was when the tests have ended', async () => {
  const server = setupServer()
  const { resetHandlers } = server
  await using sim = createSimulator({ cacheDir: false })
  const { renew, close } = await startInterception(sim.core, { server })
  renew()
  const wrapped = server.resetHandlers
  server.resetHandlers()
  expect(server.listHandlers()).toHaveLength(2)
  await close()
  expect(server.resetHandlers).toBe(resetHandlers)
  wrapped()
  expect(server.listHandlers()).toEqual([])
})
