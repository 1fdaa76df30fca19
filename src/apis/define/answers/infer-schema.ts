import * as z from 'zod/mini'

/** The schema of some values: a field that not all of them have is optional. */
export function inferSchema(values: readonly unknown[]): z.ZodMiniType {
  const given = values.filter((value) => value !== null)
  // Of a value that is always null, nothing else is known.
  if (given.length === 0) return z.unknown()
  const schema = schemaOfKind(given)
  return given.length < values.length ? z.nullable(schema) : schema
}

function schemaOfKind(values: readonly unknown[]): z.ZodMiniType {
  const [kind, ...others] = new Set(values.map((value) => (Array.isArray(value) ? 'array' : typeof value)))
  if (kind === undefined || others.length > 0) return z.unknown()
  if (kind === 'array') return z.array(inferSchema(values.flat()))
  if (kind === 'object') return schemaOfObjects(values as readonly Readonly<Record<string, unknown>>[])
  return kind === 'string' ? z.string() : kind === 'boolean' ? z.boolean() : z.number()
}

function schemaOfObjects(objects: readonly Readonly<Record<string, unknown>>[]): z.ZodMiniType {
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))]
  const entries = names.map((name) => {
    const having = objects.filter((each) => name in each)
    const schema = inferSchema(having.map((each) => each[name]))
    return [name, having.length < objects.length ? z.optional(schema) : schema] as const
  })
  // An object that is always empty may have any field.
  return names.length === 0 ? z.looseObject({}) : z.object(Object.fromEntries(entries))
}
