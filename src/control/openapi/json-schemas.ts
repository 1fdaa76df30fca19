import * as z from 'zod/mini'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { fillNames } from '../../scenario/schema/known-names.ts'

/** The parts of a JSON Schema that are used here. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of the document: the added ones, and the named ones to which they refer. */
export interface JsonSchemas {
  readonly of: (schema: z.ZodMiniType) => JsonSchema
  readonly fieldsOf: (schema: z.ZodMiniObject) => readonly (readonly [name: string, schema: JsonSchema])[]
  readonly named: Readonly<Record<string, JsonSchema>>
}

/** Converts schemas to JSON Schema, all at once, so that each named one is defined once. */
export function toJsonSchemas(schemas: ReadonlySet<z.ZodMiniType>, operations: OperationTable): JsonSchemas {
  const all = [...schemas]
  const { properties = {}, $defs = {} } = z.toJSONSchema(
    z.object(Object.fromEntries(all.map((schema, index) => [index, schema]))),
    {
      target: 'draft-2020-12',
      io: 'input',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        delete jsonSchema.id
        delete jsonSchema.readOnly
        delete jsonSchema['isFlag']
        fillNames(jsonSchema, operations)
        // Linters refuse `false` here. They also mistake an example that is an object for the examples of a parameter.
        if (jsonSchema.items === false) jsonSchema.items = {}
        if (jsonSchema.examples?.some((each) => typeof each === 'object')) delete jsonSchema.examples
      },
    },
  )
  const of = (schema: z.ZodMiniType): JsonSchema =>
    withReferences(properties[String(all.indexOf(schema))]) as JsonSchema
  const used = namesIn(properties)
  for (const name of used) for (const inner of namesIn($defs[name])) used.add(inner)
  return {
    of,
    fieldsOf: (schema) => Object.entries((of(schema)['properties'] ?? {}) as Record<string, JsonSchema>),
    named: Object.fromEntries(
      Object.entries($defs)
        .filter(([name]) => used.has(name))
        .map(([name, schema]) => [componentName(name), withReferences(schema) as JsonSchema]),
    ),
  }
}

/** The names to which a schema refers. Not all schemas that zod defines are used. */
function namesIn(schema: unknown): Set<string> {
  return new Set([...JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name]) => name!))
}

/** Points references at the components of the document. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) =>
      key === '$ref' && typeof each === 'string'
        ? [key, `#/components/schemas/${componentName(each.replace('#/$defs/', ''))}`]
        : [key, withReferences(each)],
    ),
  )
}

/** The name of a component. Scenario schemas have lower-case names, such as `rule`, which other schemas may have too. */
function componentName(name: string): string {
  const capital = name.charAt(0).toUpperCase()
  return capital === name.charAt(0) ? name : `Scenario${capital}${name.slice(1)}`
}
