import { defineFault, lost } from '../fault.ts'

export const halfHeaders = defineFault({
  name: 'half-headers',
  description: 'The connection ends in the middle of the headers.',
  fields: { lost },
  hits: 'any',
  needsSocket: true,
  visibleIn: 'connection',
  goodClient: { reaction: 'retry-with-backoff', expected: 'survive', family: 'network', rank: 3 },

  isSilent: () => true,
  apply: (reply) => ({ ...reply, effect: { noResponse: 'half-headers' } }),
})
