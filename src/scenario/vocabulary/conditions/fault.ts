import * as z from 'zod/mini'
import { faultTypes } from '../../faults/index.ts'
import { may } from '../../schema/fields.ts'
import { defineRequestCondition } from './condition.ts'

export const fault = defineRequestCondition({
  name: 'fault',
  place: 4,
  schema: may(z.enum(faultTypes), 'The injected fault.', 'truncate'),
  isMet: (wanted, request) => request.fault === wanted,
  expected: (wanted) => `fault ${wanted}`,
  actual: (request) => (request.fault === null ? undefined : `fault ${request.fault}`),
})
