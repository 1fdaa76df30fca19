import { defineFault } from '../fault.ts'
import { callbacks } from '../good-clients.ts'

export const forgedCallback = defineFault({
  name: 'forged',
  description: 'A callback with a wrong signature arrives first. It reports a failure of the task.',
  fields: {},
  hits: ['report'],
  visibleIn: 'content',
  altersBody: true,
  explored: { needsSignature: true },
  goodClient: { ...callbacks, family: 'forged callback', rank: 5 },

  apply: (reply) => ({ ...reply, delivery: { also: 'false' } }),
})
