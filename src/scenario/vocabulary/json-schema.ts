import { z } from 'zod'
import { scenarioSchema } from './scenario-schema.ts'

/** The name of the schema: editors find it by its file. */
const schemaId = 'urn:greenroom:scenario:1'

/** A JSON Schema, as far as we look at it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/**
 * The JSON Schema (draft 2020-12) of scenario files, for editors. It is made from the schema that the loader checks by; what
 * only code can tell, such as whether a pattern means an operation, is left to the loader.
 */
export function scenarioJsonSchema(): JsonSchema {
  const { $schema, properties, ...made } = z.toJSONSchema(scenarioSchema, {
    target: 'draft-2020-12',
    io: 'input',
    // Lists that can't be changed are no different in a file.
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  }) as JsonSchema
  return {
    $schema,
    $id: schemaId,
    ...made,
    properties: {
      $schema: { description: 'The schema of this file, for editors.', type: 'string' },
      ...properties,
    },
    patternProperties: { '^x-': { description: 'Anything, such as what anchors refer to.' } },
  }
}
