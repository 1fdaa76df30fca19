import { defineFault, lost } from '../fault.ts'
import { silence } from '../good-clients.ts'

export const hang = defineFault({
  name: 'hang',
  description: 'No response until the client leaves.',
  fields: { lost },
  hits: 'any',
  visibleIn: 'time',
  goodClient: { ...silence, rank: 4 },
  lostAnswer: {
    id: 'no answer',
    description: 'The gateway accepts the request, and the response never comes.',
    ...silence,
    rank: 5,
  },

  isSilent: () => true,
  apply: (reply) => ({ ...reply, delayMs: Infinity }),
})
