import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { useGreenroom, type TestGateway } from '../../src/vitest/index.ts'
import { startInterception } from '../../src/vitest/interception.ts'
import { FilmClient } from '../support/film-client.ts'

/** One that calls the fetch of the process. */
const clientOf = ({ baseUrl, key }: TestGateway): FilmClient => new FilmClient({ baseUrl, key })

describe('via a port', () => {
  const gateway = useGreenroom({ cacheDir: false, via: 'port' })

  it.each([1, 2])('answers on this machine, test %i', async () => {
    expect(gateway.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ns\//)
    expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    expect(gateway).toHaveDownloaded({ door: 'socket' }, { times: 1 })
  })

  it('takes a client whose key is fixed for that of the test', async () => {
    const { origin } = new URL(gateway.baseUrl)
    await new FilmClient({ baseUrl: origin, key: 'sk-fixed' }).make('a kite')
    expect(gateway).toHaveSettled()
  })
})

describe('via fetch', () => {
  const gateway = useGreenroom({ cacheDir: false, via: 'fetch', baseUrl: 'https://films.example/api/' })

  it('leaves the fetch of the process alone, and gives one of its own', async () => {
    const before = globalThis.fetch
    const { baseUrl, key } = gateway
    gateway.skipVerdict()
    expect(baseUrl).toBe(`https://films.example/api/ns/${gateway.name}`)
    await new FilmClient({ baseUrl, key, fetch: gateway.fetch }).make('a kite')
    expect(gateway).toHaveDownloaded({ door: 'direct' })
    const asked = await gateway.fetch(`${baseUrl}/v1/video/generations/${gateway.tasks()[0]!.id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await asked.json()).toHaveProperty(
      'data.result_url',
      expect.stringContaining(`${baseUrl}/v1/videos/`),
    )
    expect(globalThis.fetch).toBe(before)
  })
})

describe('via a server of the user', () => {
  const server = setupServer(http.get('https://elsewhere.example/', () => HttpResponse.text('mine')))
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  const gateway = useGreenroom({ cacheDir: false, server })

  it.each([1, 2])('answers beside its handlers, though they are reset after test %i', async () => {
    expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
    expect(await (await fetch('https://elsewhere.example/')).text()).toBe('mine')
    expect(gateway).toHaveDownloaded({ door: 'msw' })
  })

  it('lets a handler of a test stand in front', async () => {
    server.use(http.post('https://gateway.example/*', () => HttpResponse.json({ task_id: 'mine' })))
    expect(await clientOf(gateway).submit('a kite')).toBe('mine')
    expect(gateway).not.toHaveSubmitted()
  })
})

describe('where other requests may go elsewhere', () => {
  const asked: string[] = []
  useGreenroom({
    cacheDir: false,
    onUnhandledRequest: ({ url }, print) => {
      asked.push(url)
      print.error()
    },
  })

  it('asks whoever was named', async () => {
    await expect(fetch('https://elsewhere.example/')).rejects.toThrow()
    expect(asked).toEqual(['https://elsewhere.example/'])
  })
})

it('refuses options that contradict each other', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const server = setupServer()
  await expect(startInterception(sim.core, { via: 'port', baseUrl: 'https://a.example' })).rejects.toThrow(
    'Failed to play https://a.example: via a port the gateway has an address of its own.',
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
  // Whoever prints it, or awaits it, is no reason to complain.
  expect(String(Object.keys(outside))).toBe('')
  expect((outside as { then?: unknown }).then).toBeUndefined()
})
