import { at, defineFault } from '../fault.ts'
import { breakOff } from './break-off.ts'

export const truncate = defineFault({
  name: 'truncate',
  description: 'The body ends before its announced length.',
  fields: { at },
  hits: 'any',
  needsSocket: true,
  visibleIn: 'body',
  goodClient: {
    reaction: 'verify-and-repeat',
    expected: 'survive',
    family: 'bytes',
    rank: 1,
  },
  explored: { fields: { at: '40%' } },

  apply: (reply, { at }) => breakOff(reply, 'close', at),
})
