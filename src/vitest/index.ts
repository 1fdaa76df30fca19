import { expect } from 'vitest'
import { greenroomMatchers, type GreenroomMatchers } from '../matchers/index.ts'
import type { TestGateway } from './test-gateway.ts'

export { greenroomMatchers, type GreenroomMatchers, type Like, type TimesOption } from '../matchers/index.ts'
export {
  GreenroomError,
  type GreenroomOptions,
  type MswServer,
  type Endpoint,
  type Unhandled,
  type Interception,
} from './options.ts'
export { useGreenroom } from './use-greenroom.ts'
export type { TestGateway } from './test-gateway.ts'
export { VerdictError } from './test-run.ts'

expect.extend(greenroomMatchers)

declare module 'vitest' {
  interface TestContext {
    /** The gateway of this test, where `useGreenroom` was called for it. */
    gateway: TestGateway
  }
  interface Matchers<T = any> extends GreenroomMatchers<T> {}
}
