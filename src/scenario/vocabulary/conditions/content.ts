import * as z from 'zod/mini'
import { may } from '../../schema/fields.ts'
import { defineRequestCondition } from './condition.ts'

export const content = defineRequestCondition({
  name: 'content',
  place: 2,
  schema: may(z.enum(['complete', 'partial', 'altered']), 'The state of the body that arrived.', 'complete'),
  isMet: (wanted, request) => request.content === wanted,
  expected: (wanted) => `content ${wanted}`,
  actual: (request) => (request.content === null ? undefined : `content ${request.content}`),
})
