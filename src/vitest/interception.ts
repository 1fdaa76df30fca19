import { mswHandlers, type HttpMaker } from '../transports/msw/msw.ts'
import { reportBug } from '../simulator/report-bug.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { GreenroomError, type GreenroomOptions, type Interception } from './options.ts'
import { sharedServer, type Listening, type SetupServer } from './shared-server.ts'

/** A way in that is open. */
export interface OpenWay extends Listening {
  /** What clients call, without a namespace. */
  readonly baseUrl: string
}

type WayOptions = Pick<GreenroomOptions, 'via' | 'baseUrl' | 'server' | 'http' | 'onUnhandledRequest'>

/**
 * Opens the way by which clients reach a simulator.
 * @throws {GreenroomError} for options that contradict each other, and where msw is wanted and can't be found.
 */
export async function startInterception(simulator: Simulator, options: WayOptions): Promise<OpenWay> {
  const setupServer = await loadSetupServer(options)
  const way = options.via ?? (options.server || setupServer ? 'msw' : 'port')
  check(way, options)
  if (way === 'port') return openPort(simulator)
  const baseUrl = (options.baseUrl ?? 'https://gateway.example').replace(/\/+$/, '')
  if (way === 'fetch') return { baseUrl, renew: () => {}, close: () => {} }
  const http = options.http as HttpMaker<unknown> | undefined
  const handlers = mswHandlers<unknown>(simulator, { baseUrl, ...(http && { http }) })
  if (!options.server) return { baseUrl, ...sharedServer.open(handlers, setupServer!, options) }
  const { server } = options
  const renew = (): void => {
    const present = new Set(server.listHandlers())
    if (handlers.some((handler) => !present.has(handler))) server.use(...handlers)
  }
  return { baseUrl, renew, close: () => {} }
}

async function openPort(simulator: Simulator): Promise<OpenWay> {
  const { listen } = await import('../server/server.ts')
  // The simulator is closed by who made it.
  const lasting = { ...simulator, close: async () => {} }
  const { url, close } = await listen(lasting, { port: 0, host: '127.0.0.1', onWarning: reportBug })
  return { baseUrl: url, renew: () => {}, close }
}

async function loadSetupServer({ via, server }: WayOptions): Promise<SetupServer | undefined> {
  if (server || (via !== undefined && via !== 'msw')) return undefined
  try {
    const { setupServer } = await import('msw/node')
    return setupServer as unknown as SetupServer
  } catch (error) {
    if (via === undefined) return undefined
    throw new GreenroomError(
      `Failed to use msw: ${(error as Error).message}. Install it (npm install --save-dev msw), or use via: 'port'.`,
    )
  }
}

function check(way: Interception, { via, baseUrl, server }: WayOptions): void {
  if (way === 'port' && baseUrl !== undefined) {
    const why = via ? '' : ', and msw, which could answer there, is not installed'
    throw new GreenroomError(
      `Failed to play ${baseUrl}: via a port the gateway has an address of its own${why}. Read gateway.baseUrl instead.`,
    )
  }
  if (server && way !== 'msw') {
    throw new GreenroomError(`Failed to use the server of msw: via is "${way}". Leave one of them out.`)
  }
}
