import { defineFault } from '../fault.ts'
import { callbacks } from '../good-clients.ts'

export const doubledCallback = defineFault({
  name: 'twice',
  description: 'A callback arrives twice.',
  fields: {},
  hits: ['report'],
  visibleIn: 'content',
  isHarmless: true,
  goodClient: { ...callbacks, family: 'repeated callback', rank: 2 },

  apply: (reply) => ({ ...reply, delivery: { times: 2 } }),
})
