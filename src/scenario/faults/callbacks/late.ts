import { defineFault } from '../fault.ts'
import { callbacks } from '../good-clients.ts'

export const lateCallback = defineFault({
  name: 'late',
  description: 'A callback arrives after the next one of its task; the last one a minute later.',
  fields: {},
  hits: ['report'],
  visibleIn: 'content',
  isHarmless: true,
  goodClient: { ...callbacks, family: 'order of callbacks', rank: 3 },

  apply: (reply) => ({ ...reply, delivery: { isOvertaken: true } }),
})
