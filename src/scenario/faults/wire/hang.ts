import { defineFault, lost } from '../fault.ts'

export const hang = defineFault({
  name: 'hang',
  description: 'No response until the client leaves.',
  fields: { lost },
  hits: 'any',
  needsSocket: false,
  visibleIn: 'time',
  goodClient: { reaction: 'time-out', expected: 'either', family: 'silence', rank: 4 },

  isSilent: () => true,
  apply: (reply) => ({ ...reply, delayMs: Infinity }),
})
