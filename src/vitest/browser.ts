// The entry for Vitest's browser mode. It has the exports of index.ts, without those that need Node.
import { expect } from 'vitest'
import { createSimulator, loadScenario } from '../embedded/browser-simulator.ts'
import { greenroomMatchers } from '../matchers/index.ts'
import { startBrowserInterception } from './browser-interception.ts'
import type { GreenroomOptions } from './options.ts'
import type { TestGateway } from './test-gateway.ts'
import { openGateways } from './use-greenroom.ts'

export { greenroomMatchers } from '../matchers/index.ts'
export { GreenroomError } from './options.ts'
export { VerdictError } from '../embedded/watched-run.ts'

/** The same as in Node, without files and ports. */
export function useGreenroom(options: GreenroomOptions = {}): TestGateway {
  return openGateways(options, {
    createSimulator,
    loadScenario,
    startInterception: startBrowserInterception,
  })
}

expect.extend(greenroomMatchers)
