import { defineConnectionEnd, parserErrors } from '../../../engine/connection-end.ts'
import { defineFault } from '../fault.ts'
import { brokenBytes } from '../good-clients.ts'
import { breakBody } from './break-off.ts'

const invalidChunk = defineConnectionEnd({
  name: 'malformed-chunk',
  description: 'an invalid chunk came here, then the connection was closed',
  // Not a valid chunk size.
  lastBytes: () => 'zz\r\nnot a chunk\r\n',
  ...parserErrors('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size'),
})

export const malformedChunk = defineFault({
  name: 'malformed-chunk',
  description: 'The body is sent in chunks, and one has an invalid size.',
  fields: {},
  hits: 'any',
  visibleIn: 'body',
  goodClient: { ...brokenBytes, rank: 3 },
  ends: [invalidChunk],

  apply: (reply) => breakBody(reply, invalidChunk, { minBytes: 1, isChunked: true }),
})
