import { defineFault } from '../fault.ts'
import { breakOff } from './break-off.ts'

export const malformedChunk = defineFault({
  name: 'malformed-chunk',
  description: 'The body is sent in chunks, and one has an invalid size.',
  fields: {},
  hits: 'any',
  needsSocket: true,
  visibleIn: 'body',
  goodClient: {
    reaction: 'retry-with-backoff',
    expected: 'survive',
    family: 'bytes',
    rank: 3,
  },

  apply: (reply) => breakOff(reply, 'malformed-chunk', 0.5, 1),
})
