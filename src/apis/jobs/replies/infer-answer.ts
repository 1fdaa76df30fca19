import * as z from 'zod/mini'
import { pageSchema } from '../../define/page.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import { imagineReplies } from './observe.ts'

/** The schema of the replies of an operation: of those for a job in each state. */
export function inferAnswer(
  definition: ApiDefinition,
  operation: Exclude<ApiOperation, { role: 'download' | 'call' }>,
): z.ZodMiniType {
  const found = imagineReplies(definition, operation)
  const schema = found.length === 0 ? z.unknown() : schemaOf(found)
  return operation.role === 'list' ? pageSchema(schema) : schema
}

/** The schema of some values: a field that not all of them have is optional. */
function schemaOf(values: readonly unknown[]): z.ZodMiniType {
  const given = values.filter((value) => value !== null)
  // Of a value that is always null, nothing else is known.
  if (given.length === 0) return z.unknown()
  const schema = schemaOfKind(given)
  return given.length < values.length ? z.nullable(schema) : schema
}

function schemaOfKind(values: readonly unknown[]): z.ZodMiniType {
  const [kind, ...others] = new Set(values.map((value) => (Array.isArray(value) ? 'array' : typeof value)))
  if (kind === undefined || others.length > 0) return z.unknown()
  if (kind === 'array') return z.array(itemOf(values.flat()))
  if (kind === 'object') return z.object(shapeOf(values as readonly Readonly<Record<string, unknown>>[]))
  return kind === 'string' ? z.string() : kind === 'boolean' ? z.boolean() : z.number()
}

const itemOf = (items: readonly unknown[]): z.ZodMiniType =>
  items.length === 0 ? z.unknown() : schemaOf(items)

function shapeOf(objects: readonly Readonly<Record<string, unknown>>[]): Record<string, z.ZodMiniType> {
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))]
  const entries = names.map((name) => {
    const having = objects.filter((each) => name in each)
    const schema = schemaOf(having.map((each) => each[name]))
    return [name, having.length < objects.length ? z.optional(schema) : schema] as const
  })
  return Object.fromEntries(entries)
}
