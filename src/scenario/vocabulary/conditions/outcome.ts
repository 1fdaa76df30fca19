import * as z from 'zod/mini'
import { may } from '../../schema/fields.ts'
import { defineRequestCondition } from './condition.ts'

export const outcome = defineRequestCondition({
  name: 'outcome',
  place: 1,
  schema: may(
    z.enum(['completed', 'aborted', 'failed']),
    'How the exchange ended: the response was sent completely, the client left before that, or the bytes could not be made.',
    'aborted',
  ),
  isMet: (wanted, request) => request.outcome === wanted,
  expected: (wanted) => wanted,
  actual: (request) => request.outcome,
})
