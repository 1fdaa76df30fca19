import { defineFault, lost } from '../fault.ts'

export const garbage = defineFault({
  name: 'garbage',
  description: 'The server sends bytes that are not HTTP.',
  fields: { lost },
  hits: 'any',
  needsSocket: true,
  visibleIn: 'connection',
  goodClient: { reaction: 'retry-with-backoff', expected: 'survive', family: 'network', rank: 3 },

  isSilent: () => true,
  apply: (reply) => ({ ...reply, effect: { noResponse: 'garbage' } }),
})
