// The entry for Vitest's browser mode: the names of index.ts, with what a page has.
import { expect } from 'vitest'
import { createSimulator, loadScenario } from '../embedded/browser-simulator.ts'
import { greenroomMatchers } from '../matchers/index.ts'
import { startBrowserInterception } from './browser-interception.ts'
import type { GreenroomOptions } from './options.ts'
import type { TestGateway } from './test-gateway.ts'
import { openGateways } from './use-greenroom.ts'

export { greenroomMatchers } from '../matchers/index.ts'
export { GreenroomError } from './options.ts'
export { VerdictError } from '../embedded/worded-verdict.ts'

/** The same as in Node. There are no files and no ports. */
export function useGreenroom(options: GreenroomOptions = {}): TestGateway {
  return openGateways(options, {
    createSimulator,
    loadScenario,
    startInterception: startBrowserInterception,
  })
}

expect.extend(greenroomMatchers)
