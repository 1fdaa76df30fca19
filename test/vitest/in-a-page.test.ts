import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'
import { startBrowserInterception } from '../../src/vitest/browser-interception.ts'
import { submitVideo, pollVideo } from '../support/video.ts'

afterEach(() => vi.unstubAllGlobals())

const page = new URL('http://localhost:3000/videos/new')
const headers = { authorization: 'Bearer sk-page' }

it('answers a page below a path of its own host', async () => {
  vi.stubGlobal('location', page)
  await using sim = createSimulator({ cacheDir: false })
  const server = setupServer(...sim.handlers({ baseUrl: '/api' }))
  server.listen({ onUnhandledRequest: 'error' })
  try {
    expect((await fetch('/api/v1/models', { headers })).status).toBe(200)
    expect((await fetch('http://localhost:3000/api/v1/models', { headers })).status).toBe(200)
  } finally {
    server.close()
  }
})

it('refuses a path where there is no page, and says what to give', () => {
  const sim = createSimulator({ cacheDir: false })
  expect(() => sim.handlers({ baseUrl: '/api' })).toThrow(
    'baseUrl is "/api". Give the URL that your client calls, such as "https://gateway.example", or in a page a path',
  )
})

it('opens no port in a page, and uses no server of msw', async () => {
  await using sim = createSimulator({ cacheDir: false })
  await expect(startBrowserInterception(sim.core, { via: 'port' })).rejects.toThrow(
    "Failed to use via: 'port': a page can't listen. Use via: 'msw' or via: 'fetch'.",
  )
  await expect(startBrowserInterception(sim.core, { server: setupServer() })).rejects.toThrow(
    'Failed to use a server of msw',
  )
})

it('needs no service worker for clients that take a fetch', async () => {
  vi.stubGlobal('location', page)
  await using sim = createSimulator({ cacheDir: false })
  const { baseUrl } = await startBrowserInterception(sim.core, { via: 'fetch', baseUrl: '/api/' })
  expect(baseUrl).toBe('http://localhost:3000/api')
})

it('says what is missing where a service worker does not start', async () => {
  vi.stubGlobal('location', page)
  await using sim = createSimulator({ cacheDir: false })
  await expect(startBrowserInterception(sim.core, {})).rejects.toThrow('npx msw init public')
})

describe('a client that sleeps on the clock', () => {
  const gateway = useGreenroom()

  it('is at rest when nothing on the clock would wake it any more', async () => {
    const call = (path: string, init?: RequestInit): Promise<Response> => gateway.fetch(path, init)
    const statuses: string[] = []
    const live = async (): Promise<void> => {
      const id = await submitVideo({ call }, { prompt: '[[queued 10s]] [[render 2m]] a kite' })
      while (statuses.at(-1) !== 'SUCCESS') {
        await gateway.clock.sleep('5s')
        statuses.push((await pollVideo({ call }, id)).status)
      }
      const { signal } = gateway.clock.deadline('1h')
      expect(signal.aborted).toBe(false)
    }
    const living = live()
    await gateway.idle()
    expect([statuses.length, statuses.at(-1)]).toEqual([26, 'SUCCESS'])
    await living
    gateway.skipVerdict()
  })

  it('is at rest at once where it does nothing, and while time is held', async () => {
    await gateway.idle()
    void gateway.clock.sleep('5s')
    using hold = gateway.clock.hold()
    await gateway.idle()
    hold.release()
    await gateway.idle()
    expect(gateway.clock.status().waiters).toBe(0)
  })
})
