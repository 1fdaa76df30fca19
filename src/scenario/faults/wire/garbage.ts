import { defineConnectionEnd, parserErrors } from '../../../engine/connection-end.ts'
import { defineFault } from '../fault.ts'
import { lostConnection } from '../good-clients.ts'
import { breakUnanswered } from './break-off.ts'

const alert = defineConnectionEnd({
  name: 'garbage',
  description: 'bytes that are no HTTP, then the connection was closed',
  // A fatal TLS alert, as sent by a port that doesn't speak HTTP.
  lastBytes: () => Uint8Array.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]),
  ...parserErrors('HPE_INVALID_CONSTANT', 'Expected HTTP/', 'Expected HTTP/, RTSP/ or ICE/'),
})

export const garbage = defineFault({
  name: 'garbage',
  description: 'The server sends bytes that are not HTTP.',
  ...breakUnanswered(alert),
  goodClient: { ...lostConnection, rank: 3 },
})
