import { closedUnanswered } from '../../../engine/connection-end.ts'
import { defineFault, lost } from '../fault.ts'
import { lostConnection } from '../habits.ts'

export const close = defineFault({
  name: 'close',
  description: 'The connection is closed without a response.',
  fields: { lost },
  hits: 'any',
  visibleIn: 'connection',
  goodClient: { ...lostConnection, rank: 2 },
  ends: [closedUnanswered],

  isSilent: () => true,
  apply: (reply) => ({ ...reply, effect: { noResponse: closedUnanswered } }),
})
