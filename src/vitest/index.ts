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
export { VerdictError } from '../embedded/worded-verdict.ts'

/**
 * Gives every test of a file, or of a `describe`, a gateway of its own, and judges at its end what its client did. Called
 * once, outside of the tests.
 *
 * What it returns is read inside of the tests, each of which sees its own; concurrent tests get the same as `gateway` of
 * their context.
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
 * @throws {SettingsError} for an unknown option; {GreenroomError} before the first test, for options that contradict each other.
 */
export function useGreenroom(options: GreenroomOptions = {}): TestGateway {
  return openGateways(options, { createSimulator, loadScenario, startInterception })
}

expect.extend(greenroomMatchers)

declare module 'vitest' {
  interface TestContext {
    /** The gateway of this test, where `useGreenroom` was called for it. */
    gateway: TestGateway
  }
  interface Matchers<T = any> extends GreenroomMatchers<T> {}
}
