import { defineFault } from '../fault.ts'
import { callbacks } from '../good-clients.ts'

export const lostCallback = defineFault({
  name: 'lost',
  description: 'A callback never arrives.',
  fields: {},
  hits: ['report'],
  visibleIn: 'content',
  goodClient: { ...callbacks, family: 'lost callback', rank: 1 },

  apply: (reply) => ({ ...reply, delivery: { times: 0 } }),
})
