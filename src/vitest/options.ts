import type { HttpMaker } from '../doors/msw.ts'
import type { EmbeddedOptions } from '../create-simulator.ts'
import type { LoadedScenario, Scenario } from '../scenarios.ts'
import type { Expect } from '../verdict/expect.ts'

/** What `useGreenroom` takes beside the options of every simulator. */
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
  env?: false | Readonly<Record<string, string>> | ((test: Reached) => Readonly<Record<string, string>>)
  /** The address that is played, with MSW or `fetch`. Default `https://gateway.example`. */
  baseUrl?: string
  /**
   * How the client reaches it: `msw` answers the `fetch` of the process, `port` listens on a free port of this machine, and
   * with `fetch` your client is given `gateway.fetch`. Default: `msw` where it is installed, else `port`.
   */
  via?: Way
  /** Your own server of MSW, which you start and close yourself. */
  server?: MswServer
  /** Your own msw's `http`; it is found by itself. */
  http?: HttpMaker<unknown>
  /** What MSW makes of requests that go elsewhere. Default `error`. */
  onUnhandledRequest?: Unhandled
}

export type Way = 'msw' | 'fetch' | 'port'

/** Where a test finds its gateway. */
export interface Reached {
  readonly baseUrl: string
  readonly key: string
}

/** As MSW takes it: `error`, `warn`, `bypass`, or a function of yours. */
export type Unhandled =
  | 'error'
  | 'warn'
  | 'bypass'
  | ((request: Request, print: { warning: () => void; error: () => void }) => void)

/** What is used of a server of MSW's `setupServer`, of either major. */
export interface MswServer {
  use(...handlers: unknown[]): void
  listHandlers(): readonly unknown[]
}

/** An option that can't be, or not with another. The message says what to do. */
export class GreenroomError extends Error {
  override name = 'GreenroomError'
}
