import { mswHandlers, type HttpMaker } from '../transports/msw/msw.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { guardOtherHosts } from '../transports/msw/other-hosts.ts'
import { checkHosts, readBaseUrl, type ActiveInterception, type InterceptionOptions } from './interception.ts'
import { GreenroomError } from './options.ts'

/** The part of MSW's `setupWorker` that is used. */
interface Worker {
  start(options: object): Promise<unknown>
  stop(): void
  use(...handlers: unknown[]): void
  resetHandlers(): void
  listHandlers(): readonly unknown[]
}

/** The worker of this page, with the handlers of every `useGreenroom`. */
let running: Promise<Worker> | undefined
const users = new Map<readonly unknown[], InterceptionOptions>()

/**
 * Connects clients in a page with a simulator.
 * @throws {GreenroomError} for options that a page doesn't support, and if MSW's service worker doesn't start.
 */
export async function startBrowserInterception(
  simulator: Simulator,
  options: InterceptionOptions,
): Promise<ActiveInterception> {
  const { via = 'msw', server } = options
  if (via === 'port' || server) {
    const what = server ? 'a server of msw' : "via: 'port'"
    throw new GreenroomError(`Failed to use ${what}: a page can't listen. Use via: 'msw' or via: 'fetch'.`)
  }
  checkHosts(options)
  const baseUrl = readBaseUrl(options)
  if (via === 'fetch') return { baseUrl, renew: () => {}, close: () => {} }
  const http = (options.http ?? (await import('msw')).http) as HttpMaker<unknown>
  const handlers = mswHandlers<unknown>(simulator, { baseUrl, http })
  const worker = await (running ??= startWorker(http))
  users.set(handlers, options)
  worker.use(...handlers)
  return {
    baseUrl,
    renew: () => {
      const present = new Set(worker.listHandlers())
      if (handlers.some((handler) => !present.has(handler))) worker.use(...handlers)
    },
    close: () => {
      users.delete(handlers)
      worker.resetHandlers()
      for (const others of users.keys()) worker.use(...others)
      if (users.size > 0) return
      worker.stop()
      running = undefined
    },
  }
}

async function startWorker(http: HttpMaker<unknown>): Promise<Worker> {
  const { setupWorker } = await import('msw/browser')
  try {
    // The page loads its own files and its tests from its own host.
    const guard = guardOtherHosts(http, () => [...users.values()], globalThis.location.origin)
    const worker = setupWorker(guard.handler as never) as unknown as Worker
    await worker.start({ quiet: true, ...guard.listenOptions })
    return worker
  } catch (error) {
    running = undefined
    throw new GreenroomError(
      `Failed to start MSW's service worker: ${(error as Error).message}. Run npx msw init public, and let Vite serve ` +
        "that folder (publicDir), or use via: 'fetch'.",
    )
  }
}
