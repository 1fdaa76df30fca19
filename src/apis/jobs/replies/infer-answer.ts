import * as z from 'zod/mini'
import { inferSchema } from '../../define/answers/infer-schema.ts'
import { pageSchema } from '../../define/page.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import { imagineReplies } from './observe.ts'

/** The schema of the replies of an operation: of those for a job in each state. */
export function inferAnswer(
  definition: ApiDefinition,
  operation: Exclude<ApiOperation, { role: 'download' | 'call' | 'list' }>,
): z.ZodMiniType {
  const found = imagineReplies(definition, operation)
  const schema = found.length === 0 ? z.unknown() : inferSchema(found)
  if (operation.role !== 'pages') return schema
  return operation.ids ? z.array(schema) : pageSchema(schema)
}
