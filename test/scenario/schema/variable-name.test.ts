import { expect, it } from 'vitest'
import { isSettableVariable } from '../../../src/scenario/schema/variable-name.ts'

it.each(['GATEWAY_URL', 'gatewayUrl', 'BASE_URL_2', 'MY_ANYTHING', 'VITE_THEME', 'NODE_ENV'])(
  'lets a scenario set %s',
  (name) => {
    expect(isSettableVariable(name)).toBe(true)
  },
)

it.each(['NODE_OPTIONS', 'nodeOptions', 'PATH', 'binPath', 'LD_PRELOAD', 'PIP_INDEX_URL', 'THEME'])(
  'does not let a scenario set %s',
  (name) => {
    expect(isSettableVariable(name)).toBe(false)
  },
)
