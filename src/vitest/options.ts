import type { HttpMaker } from '../transports/msw/msw.ts'
import type { EmbeddedOptions } from '../embedded/create-simulator.ts'
import type { LoadedScenario, Scenario } from '../embedded/scenarios.ts'
import type { Expect } from '../judge/expectations/expect.ts'

/**
 * What `useGreenroom` takes beside the options of every simulator.
 *
 * @example
 * const options: GreenroomOptions = { seed: 7, env: { FILM_URL: '${url}/v1' } }
 * const gateway = useGreenroom(options)
 * it('tells the client where the gateway is', () => {
 *   expect(process.env['FILM_URL']).toBe(`${gateway.baseUrl}/v1`)
 * })
 */
export interface GreenroomOptions extends Omit<EmbeddedOptions, 'scenario'> {
  /** What every test plays from its beginning: a scenario, or the path of its file. */
  scenario?: string | LoadedScenario | Scenario
  /**
   * What is judged at the end of every test, before what the scenario expects. Default: the ten invariants of a good
   * client, and that every rule that a test adds fires.
   */
  expect?: Expect
  /**
   * The environment variables by which your client finds the gateway, set before each test and restored after it, beside
   * those of the usual SDKs: `${url}` and `${key}` stand for those of the test. `false` sets none at all.
   */
  env?: false | Readonly<Record<string, string>> | ((test: Endpoint) => Readonly<Record<string, string>>)
  /** The address that is played, with MSW or `fetch`. Default `https://gateway.example`. */
  baseUrl?: string
  /**
   * How the client reaches it: `msw` answers the `fetch` of the process, `port` listens on a free port of this machine, and
   * with `fetch` your client is given `gateway.fetch`. Default: `msw` where it is installed, else `port`.
   */
  via?: Interception
  /** Your own server of MSW, which you start and close yourself. */
  server?: MswServer
  /** Your own msw's `http`; it is found by itself. */
  http?: HttpMaker<unknown>
  /** What MSW makes of requests that go elsewhere. Default `error`. */
  onUnhandledRequest?: Unhandled
}

/**
 * How a client reaches the gateway of its test.
 *
 * @example
 * const via: Interception = 'port'
 * const gateway = useGreenroom({ via })
 * it('listens for other processes', async () => {
 *   expect(new URL(gateway.baseUrl).hostname).toBe('127.0.0.1')
 *   await new MyClient({ fetch, baseUrl: gateway.baseUrl }).ask('Why do kites fly?')
 * })
 */
export type Interception = 'msw' | 'fetch' | 'port'

/**
 * Where a test finds its gateway.
 *
 * @example
 * const env = ({ baseUrl, key }: Endpoint) => ({ FILM_GATEWAY: `${baseUrl}/v1?key=${key}` })
 * const options: GreenroomOptions = { env }
 */
export interface Endpoint {
  readonly baseUrl: string
  readonly key: string
}

/**
 * As MSW takes it: `error`, `warn`, `bypass`, or a function of yours.
 *
 * @example
 * const onUnhandledRequest: Unhandled = ({ url }, print) => {
 *   if (!url.startsWith('http://localhost:')) print.error()
 * }
 * const options: GreenroomOptions = { via: 'msw', onUnhandledRequest }
 */
export type Unhandled =
  | 'error'
  | 'warn'
  | 'bypass'
  | ((request: Request, print: { warning: () => void; error: () => void }) => void)

/**
 * What is used of a server of MSW's `setupServer`, of either major.
 *
 * @example
 * import { setupServer } from 'msw/node'
 * const server: MswServer = setupServer()
 * const options: GreenroomOptions = { server, baseUrl: 'https://gateway.example' }
 */
export interface MswServer {
  use(...handlers: unknown[]): void
  listHandlers(): readonly unknown[]
}

/**
 * An option that can't be, or not with another, or a gateway that is read where no test has one. The message says what to do.
 *
 * @example
 * const gateway = useGreenroom()
 * gateway.key // throws GreenroomError: Failed to find the gateway of a test: no test is running. …
 * it('has a key inside of tests', () => expect(gateway.key).toMatch(/^sk-/))
 */
export class GreenroomError extends Error {
  override name = 'GreenroomError'
}
