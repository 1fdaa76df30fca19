import { balanceSchemas } from './balance/schemas.ts'
import { chatSchemas } from './chat/schemas.ts'
import { drawingSchemas } from './drawing/schemas.ts'
import { embeddingSchemas } from './embeddings/schemas.ts'
import { imageSchemas } from './images/schemas.ts'
import { messagesSchemas } from './messages/schemas.ts'
import { modelSchemas } from './models/schemas.ts'
import { nativeTextSchemas } from './native-text/schemas.ts'
import { openaiVideoSchemas } from './openai-video/schemas.ts'
import type { ApiSchema, OperationSchema } from './define/operation-schema.ts'
import { responseSchemas } from './responses/schemas.ts'
import { videoSchemas } from './video/schemas.ts'

/** The schemas of all APIs. They are loaded only for the OpenAPI document. */
export const apiSchemas: readonly ApiSchema<never>[] = [
  videoSchemas,
  openaiVideoSchemas,
  nativeTextSchemas,
  chatSchemas,
  responseSchemas,
  embeddingSchemas,
  imageSchemas,
  modelSchemas,
  messagesSchemas,
  balanceSchemas,
  drawingSchemas,
]

/** The schema of an operation, with the common parts of its API. */
export function schemaOf(operation: string): { api: ApiSchema<never>; schema: OperationSchema } {
  for (const api of apiSchemas) {
    const schema = (api.operations as Readonly<Record<string, OperationSchema>>)[operation]
    if (schema) return { api, schema }
  }
  throw new Error(`Failed to describe ${operation}: it has no schema.`)
}
