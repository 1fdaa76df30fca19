import { expect } from 'vitest'
import { createSimulator } from '../embedded/create-simulator.ts'
import { loadScenario } from '../embedded/scenarios.ts'
import { greenroomMatchers, type GreenroomMatchers } from '../matchers/index.ts'
import { startInterception } from './interception.ts'
import type { GreenroomOptions } from './options.ts'
import type { TestGateway } from './test-gateway.ts'
import { openGateways } from './use-greenroom.ts'

export { greenroomMatchers, type GreenroomMatchers, type Like, type TimesOption } from '../matchers/index.ts'
export {
  GreenroomError,
  type GreenroomOptions,
  type MswServer,
  type Endpoint,
  type Unhandled,
  type Interception,
} from './options.ts'
export type { TestGateway } from './test-gateway.ts'
export { VerdictError } from '../embedded/watched-run.ts'

/**
 * Gives every test of a file, or of a `describe`, its own gateway, and judges the client at the end of each test. Call it
 * once, outside of the tests.
 *
 * Inside a test, the returned object is the gateway of that test. Concurrent tests use `gateway` of their context instead.
 *
 * @example
 * const gateway = useGreenroom()
 *
 * it('says why a video failed', async () => {
 *   const client = new MyClient({ fetch, baseUrl: gateway.baseUrl, apiKey: gateway.key })
 *   const video = await client.makeVideo('a red kite [[fail: content policy]]')
 *   expect(video.error).toBe('content policy')
 *   expect(gateway).toHaveSettled({ status: 'FAILURE' })
 * })
 *
 * @throws {SettingsError} for an unknown option; `GreenroomError` before the first test, for contradictory options.
 */
export function useGreenroom(options: GreenroomOptions = {}): TestGateway {
  return openGateways(options, { createSimulator, loadScenario, startInterception })
}

expect.extend(greenroomMatchers)

declare module 'vitest' {
  interface TestContext {
    /** The gateway of this test, if it belongs to a `useGreenroom`. */
    gateway: TestGateway
  }
  interface Matchers<T = any> extends GreenroomMatchers<T> {}
}
