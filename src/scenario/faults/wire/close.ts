import { closedUnanswered } from '../../../engine/connection-end.ts'
import { defineFault } from '../fault.ts'
import { lostConnection } from '../good-clients.ts'
import { breakUnanswered } from './break-off.ts'

export const close = defineFault({
  name: 'close',
  description: 'The connection is closed without a response.',
  ...breakUnanswered(closedUnanswered),
  goodClient: { ...lostConnection, rank: 2 },
})
