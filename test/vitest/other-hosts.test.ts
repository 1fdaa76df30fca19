import http, { createServer } from 'node:http'
import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'
import { startInterception } from '../../src/vitest/interception.ts'

/** A server of this machine that counts its hits. Every made-up host name resolves to it. */
let hits: string[] = []
const elsewhere = createServer((request, response) => {
  hits.push(`${request.method} ${request.headers.host}${request.url}`)
  response.end('from the network')
}).on('upgrade', (request, socket) => {
  hits.push(`upgrade ${request.headers.host}`)
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve))
  port = (elsewhere.address() as AddressInfo).port
  const lookup = ((_host: string, options: unknown, done: unknown) => {
    const callback = (done ?? options) as (error: null, address: unknown, family?: number) => void
    const isAll = (options as { all?: boolean }).all
    if (isAll) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  }) as never
  vi.spyOn(dns, 'lookup').mockImplementation(lookup)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
beforeEach(() => void (hits = []))
afterAll(async () => {
  vi.restoreAllMocks()
  await new Promise((resolve) => elsewhere.close(resolve).closeAllConnections())
})

/** A client on `http.request`, as axios in Node and supertest. */
const httpGet = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    http.get(url, (response) => resolve(response.resume().statusCode!)).on('error', reject)
  })

const openSocket = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url)
    socket.addEventListener('error', () => resolve('error'))
    socket.addEventListener('close', () => resolve('close'))
    socket.addEventListener('open', () => resolve('open'))
  })

describe('by default', () => {
  useGreenroom({ cacheDir: false })

  it('lets no request to another host reach the network', async () => {
    const charge = fetch(`http://payments.example:${port}/v1/charges`, { method: 'POST', body: '{}' })
    await expect(charge).rejects.toThrow()
    expect(vi.mocked(console.error).mock.lastCall).toEqual([
      `[greenroom] Error: POST http://payments.example:${port}/v1/charges was refused: no handler answers ` +
        "payments.example, and tests don't use the network. Answer it with a handler of MSW, or allow the host: " +
        "useGreenroom({ allowHosts: ['payments.example'] }).",
    ])
    expect(hits).toEqual([])
  })

  it.each(['/logo.png', '/video.mp4', '/app.js', '/'])(
    'does not take %s for an asset that may pass',
    async (path) => {
      await expect(fetch(`http://cdn.example:${port}${path}`)).rejects.toThrow()
      expect(hits).toEqual([])
    },
  )

  it('refuses clients on node:http, too', async () => {
    await expect(httpGet(`http://payments.example:${port}/`)).rejects.toThrow()
    expect(hits).toEqual([])
  })

  it.skipIf(typeof WebSocket === 'undefined')('refuses WebSockets to other hosts', async () => {
    expect(await openSocket(`ws://chat.example:${port}/`)).toBe('error')
    expect(hits).toEqual([])
  })

  it('lets requests to the application under test pass', async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/app`)).text()
    expect(text).toBe('from the network')
    expect(await httpGet(`http://localhost:${port}/app`)).toBe(200)
    expect(hits).toHaveLength(2)
  })

  it('needs no network for a data URL', async () => {
    expect(await (await fetch('data:text/plain,hello')).text()).toBe('hello')
  })
})

describe('with allowed hosts', () => {
  useGreenroom({ cacheDir: false, allowHosts: ['Payments.example'] })

  it('lets these pass, and no others', async () => {
    expect((await fetch(`http://payments.example:${port}/v1/charges`)).status).toBe(200)
    await expect(fetch(`http://other.example:${port}/`)).rejects.toThrow()
    expect(hits).toEqual([`GET payments.example:${port}/v1/charges`])
  })

  describe('and a group that allows one more', () => {
    useGreenroom({ cacheDir: false, baseUrl: 'https://second.example', allowHosts: ['other.example'] })

    it('lets both pass', async () => {
      await fetch(`http://payments.example:${port}/`)
      await fetch(`http://other.example:${port}/`)
      expect(hits).toHaveLength(2)
    })
  })
})

describe('with a callback', () => {
  useGreenroom({
    cacheDir: false,
    onUnhandledRequest: ({ url }, print) => {
      if (url.includes('refused')) print.error()
      else print.warning()
    },
  })

  it('refuses what it reports as an error, also on this machine', async () => {
    await expect(fetch(`http://other.example:${port}/refused`)).rejects.toThrow()
    await expect(fetch(`http://127.0.0.1:${port}/refused`)).rejects.toThrow()
    expect(hits).toEqual([])
    expect((await fetch(`http://other.example:${port}/fine`)).status).toBe(200)
    expect(hits).toEqual([`GET other.example:${port}/fine`])
  })
})

describe.each(['warn', 'bypass'] as const)('with %s', (onUnhandledRequest) => {
  useGreenroom({ cacheDir: false, onUnhandledRequest })

  it('reaches the network', async () => {
    await fetch(`http://other.example:${port}/`)
    expect(hits).toHaveLength(1)
  })
})

it('refuses allowed hosts that are none, and where they would have no effect', async () => {
  await using sim = createSimulator({ cacheDir: false })
  await expect(startInterception(sim.core, { allowHosts: ['https://a.example'] })).rejects.toThrow(
    'Failed to use allowHosts: "https://a.example" is no host',
  )
  await expect(startInterception(sim.core, { via: 'port', onUnhandledRequest: 'error' })).rejects.toThrow(
    'Failed to use onUnhandledRequest: via "port" no request to other hosts is intercepted.',
  )
})
