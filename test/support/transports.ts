import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMiddleware } from '@mswjs/http-middleware'
import express from 'express'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe } from 'vitest'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'
import { listen } from '../../src/server/server.ts'
import { listening } from './express.ts'

/** A simulator that a client can reach by one transport. */
export interface OpenTransport extends AsyncDisposable {
  readonly sim: EmbeddedSimulator
  /** The base URL for clients. */
  readonly url: string
  /** The `fetch` for SDKs. */
  readonly fetch: typeof fetch
  /** Sends a request to a path below the base URL. */
  call(path: string, init?: RequestInit): Promise<Response>
}

type Open = (options?: EmbeddedOptions) => Promise<OpenTransport>

export async function openDirect(options: EmbeddedOptions = {}): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const url = 'https://gateway.example'
  return {
    sim,
    url,
    fetch: sim.fetch,
    call: (path, init) => sim.fetch(url + path, init),
    [Symbol.asyncDispose]: sim.close,
  }
}

export async function openMsw(options: EmbeddedOptions = {}): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const url = 'https://gateway.example'
  const server = setupServer(...sim.handlers({ baseUrl: url }))
  server.listen({
    // SDKs probe fetch with a data: URL. Every http: request must have a handler.
    onUnhandledRequest: ({ url: requested }, print) =>
      requested.startsWith('http') ? print.error() : undefined,
  })
  return {
    sim,
    url,
    fetch: (input, init) => fetch(input, init),
    call: (path, init) => fetch(url + path, init),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await sim.close()
    },
  }
}

export async function openSocket(options: EmbeddedOptions = {}): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const server = await listen(sim.core, { port: 0, host: '127.0.0.1', onWarning: () => {} })
  return {
    sim,
    url: server.url,
    fetch: (input, init) => fetch(input, init),
    call: (path, init) => fetch(server.url + path, init),
    [Symbol.asyncDispose]: server.close,
  }
}

/** Mounts the middleware in an Express application, below a path. */
export async function openExpress(options: EmbeddedOptions = {}): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const server = await listening(express().use('/gateway', sim.middleware()))
  return openServer(sim, `${server.url}/gateway`, server)
}

/**
 * Serves the MSW handlers with `@mswjs/http-middleware`. It does not detect disconnects, and a response that breaks off
 * ends the process, so tests of these cases exclude this transport.
 */
export async function openHttpMiddleware(options: EmbeddedOptions = {}): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const application = express()
  const server = await listening(application)
  application.use(createMiddleware(...sim.handlers({ baseUrl: server.url })))
  return openServer(sim, server.url, server)
}

function openServer(sim: EmbeddedSimulator, url: string, server: AsyncDisposable): OpenTransport {
  return {
    sim,
    url,
    fetch: (input, init) => fetch(input, init),
    call: (path, init) => fetch(url + path, init),
    [Symbol.asyncDispose]: async () => {
      await sim.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const transports: Readonly<Record<string, Open>> = { direct: openDirect, msw: openMsw, socket: openSocket }

/** Transports inside other servers. Only some tests run with them, since most would repeat the others. */
const mounted = { express: openExpress, 'http-middleware': openHttpMiddleware } satisfies Record<string, Open>

type Tests = (open: Open, transport: string) => void

/** Runs the same tests with every transport. */
export function describeTransports(tests: Tests): void {
  describeTransportsAnd()(tests)
}

/** Runs the same tests with every transport, and with some transports inside other servers. */
export function describeTransportsAnd(...more: (keyof typeof mounted)[]): (tests: Tests) => void {
  const named = {
    ...transports,
    ...Object.fromEntries(more.map((transport) => [transport, mounted[transport]])),
  }
  return (tests) => {
    for (const [transport, open] of Object.entries(named)) {
      describe(`with transport ${transport}`, () => tests(withOwnCache(open), transport))
    }
  }
}

/**
 * Uses a separate cache folder for each simulator, so that tests do not share clips. Simulators create them when they need
 * them: most never do. They are removed after the tests of the transport.
 */
function withOwnCache(open: Open): Open {
  let [folder, opened] = ['', 0]
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (options = {}) => open({ cacheDir: join(folder, String(opened++)), ...options })
}
