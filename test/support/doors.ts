import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMiddleware } from '@mswjs/http-middleware'
import express from 'express'
import { setupServer } from 'msw/node'
import { describe } from 'vitest'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'
import { listen } from '../../src/server/server.ts'
import { listening } from './express.ts'

/** A simulator with a client's way to it. */
export interface OpenDoor extends AsyncDisposable {
  readonly sim: EmbeddedSimulator
  /** What a client would be given as its base address. */
  readonly url: string
  /** What an SDK is given as its `fetch`. */
  readonly fetch: typeof fetch
  /** Calls a path below the base address. */
  call(path: string, init?: RequestInit): Promise<Response>
}

type Open = (options?: EmbeddedOptions) => Promise<OpenDoor>

export async function openDirect(options: EmbeddedOptions = {}): Promise<OpenDoor> {
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

export async function openMsw(options: EmbeddedOptions = {}): Promise<OpenDoor> {
  const sim = createSimulator(options)
  const url = 'https://gateway.example'
  const server = setupServer(...sim.handlers({ baseUrl: url }))
  server.listen({
    // SDKs try out fetch on a data: URL; whatever goes over the wire must be ours.
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

export async function openSocket(options: EmbeddedOptions = {}): Promise<OpenDoor> {
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

/** Within an application, below a path of its own. */
export async function openExpress(options: EmbeddedOptions = {}): Promise<OpenDoor> {
  const sim = createSimulator(options)
  const server = await listening(express().use('/gateway', sim.middleware()))
  return opened(sim, `${server.url}/gateway`, server)
}

/**
 * The handlers on a port, by MSW's own middleware. It never notices that a client leaves, and ends the process where an
 * answer breaks off: stories of those are none of this door's.
 */
export async function openHttpMiddleware(options: EmbeddedOptions = {}): Promise<OpenDoor> {
  const sim = createSimulator(options)
  const application = express()
  const server = await listening(application)
  application.use(createMiddleware(...sim.handlers({ baseUrl: server.url })))
  return opened(sim, server.url, server)
}

function opened(sim: EmbeddedSimulator, url: string, server: AsyncDisposable): OpenDoor {
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

const doors: Readonly<Record<string, Open>> = { direct: openDirect, msw: openMsw, socket: openSocket }

/** Doors within other people's servers. They tell some of the stories only: most would say again what is known. */
const mounted = { express: openExpress, 'http-middleware': openHttpMiddleware } satisfies Record<string, Open>

type Stories = (open: Open, door: string) => void

/** Tells the same stories through every door. */
export function describeDoors(stories: Stories): void {
  describeDoorsAnd()(stories)
}

/** The same, and through doors within other people's servers, too. */
export function describeDoorsAnd(...more: (keyof typeof mounted)[]): (stories: Stories) => void {
  const named = { ...doors, ...Object.fromEntries(more.map((door) => [door, mounted[door]])) }
  return (stories) => {
    for (const [door, open] of Object.entries(named)) {
      describe(`through the ${door} door`, () => stories(withOwnCache(open), door))
    }
  }
}

/** A cache folder of its own for each simulator, so that no test is served another's clips. */
function withOwnCache(open: Open): Open {
  return async (options = {}) => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
    const forget = (): void => rmSync(cacheDir, { recursive: true, force: true })
    try {
      const door = await open({ cacheDir, ...options })
      return {
        ...door,
        [Symbol.asyncDispose]: async () => {
          await door[Symbol.asyncDispose]()
          forget()
        },
      }
    } catch (error) {
      forget()
      throw error
    }
  }
}
