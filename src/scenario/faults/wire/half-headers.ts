import { closedUnanswered, defineConnectionEnd } from '../../../engine/connection-end.ts'
import { defineFault } from '../fault.ts'
import { lostConnection } from '../good-clients.ts'
import { breakUnanswered } from './break-off.ts'

const halfHead = defineConnectionEnd({
  ...closedUnanswered,
  name: 'half-headers',
  description: 'the connection was closed in the middle of the headers',
  lastBytes: (head) => head.slice(0, Math.ceil((head.split('\r\n', 1)[0]!.length + head.length) / 2)),
})

export const halfHeaders = defineFault({
  name: 'half-headers',
  description: 'The connection ends in the middle of the headers.',
  ...breakUnanswered(halfHead),
  goodClient: { ...lostConnection, rank: 3 },
})
