import { defineFault, lost } from '../fault.ts'

export const close = defineFault({
  name: 'close',
  description: 'The connection is closed without a response.',
  fields: { lost },
  hits: 'any',
  needsSocket: true,
  visibleIn: 'connection',
  goodClient: { reaction: 'retry-with-backoff', expected: 'survive', family: 'network', rank: 2 },

  isSilent: () => true,
  apply: (reply) => ({ ...reply, effect: { noResponse: 'close' } }),
})
