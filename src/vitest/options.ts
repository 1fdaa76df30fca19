import type { HttpMaker } from '../transports/msw/msw.ts'
import type { OtherHosts } from '../transports/msw/other-hosts.ts'
import type { EmbeddedOptions } from '../embedded/create-simulator.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Expect, Scenario } from '../scenario/vocabulary/types.ts'

/**
 * The options of `useGreenroom`, in addition to those of every simulator.
 *
 * @example
 * const options: GreenroomOptions = { seed: 7, env: { VIDEO_URL: '${url}/v1' } }
 * const gateway = useGreenroom(options)
 * it('sets a variable of the client', () => {
 *   expect(process.env['VIDEO_URL']).toBe(`${gateway.baseUrl}/v1`)
 * })
 */
export interface GreenroomOptions extends Omit<EmbeddedOptions, 'scenario'> {
  /** The scenario that every test plays from its start, or the path of its file. */
  scenario?: string | LoadedScenario | Scenario
  /**
   * The expectations of every test, in addition to those of the scenario. By default, a test expects the invariants of a
   * good client, and that every rule that it adds fires.
   */
  expect?: Expect
  /** Whether each test must follow its tasks to their end, or cancel them. Default false, because many tests end earlier. */
  expectNoAbandonedTasks?: boolean
  /**
   * Environment variables by which your client finds the gateway, in addition to those of common SDKs. They are set before
   * each test and restored after it. `${url}` and `${key}` become the URL and the key of the test. `false` sets none.
   */
  env?: false | Readonly<Record<string, string>> | ((test: Endpoint) => Readonly<Record<string, string>>)
  /**
   * The URL of the gateway with MSW or `fetch`. Default `https://gateway.example`. In a page and in jsdom, a path such as
   * `/api` works too. Then `gateway.baseUrl` is below the page.
   */
  baseUrl?: string
  /**
   * How the client reaches the gateway. `msw` intercepts the `fetch` of the process. `port` listens on a free port. With
   * `fetch`, you pass `gateway.fetch` to your client. Default: `msw` if it is installed, otherwise `port`. In a browser,
   * `msw` is a service worker and the default; there is no `port`.
   */
  via?: Interception
  /**
   * Your own MSW server, which you start and close yourself. `resetHandlers` keeps the handlers of the gateway. Requests that no
   * handler takes are refused, whatever `listen` says.
   */
  server?: MswServer
  /** The `http` of your msw. By default it is found automatically. */
  http?: HttpMaker<unknown>
  /**
   * What happens to requests to other hosts. Default `error`: they are refused, except those to loopback addresses, where
   * the application under test listens.
   */
  onUnhandledRequest?: Unhandled
  /** Hosts that tests may access over the network: names or IP addresses, without scheme and port. */
  allowHosts?: readonly string[]
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
 * The URL and key of the gateway of a test.
 *
 * @example
 * const env = ({ baseUrl, key }: Endpoint) => ({ VIDEO_GATEWAY: `${baseUrl}/v1?key=${key}` })
 * const options: GreenroomOptions = { env }
 */
export interface Endpoint {
  readonly baseUrl: string
  readonly key: string
}

/**
 * The strategy for requests to other hosts, as in MSW: `error`, `warn`, `bypass`, or a function. Your function also decides
 * about loopback addresses. It refuses a request by calling `print.error` or by throwing.
 *
 * @example
 * const onUnhandledRequest: Unhandled = ({ url }, print) => {
 *   if (!url.startsWith('http://localhost:')) print.error()
 * }
 * const options: GreenroomOptions = { via: 'msw', onUnhandledRequest }
 */
export type Unhandled = OtherHosts

/**
 * The part of MSW's `setupServer` that is used, of either major version.
 *
 * @example
 * import { setupServer } from 'msw/node'
 * const server: MswServer = setupServer()
 * const options: GreenroomOptions = { server, baseUrl: 'https://gateway.example' }
 */
export interface MswServer {
  use(...handlers: unknown[]): void
  listHandlers(): readonly unknown[]
  resetHandlers?(...handlers: unknown[]): void
}

/**
 * Thrown for invalid or contradictory options, and if a gateway is used outside of a test. The message says what to do.
 *
 * @example
 * const gateway = useGreenroom()
 * gateway.key // throws GreenroomError: Failed to find the gateway of a test: no test is running. …
 * it('has a key inside of tests', () => expect(gateway.key).toMatch(/^sk-/))
 */
export class GreenroomError extends Error {
  override name = 'GreenroomError'
}
