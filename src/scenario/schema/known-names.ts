import * as z from 'zod/mini'
import { noneOf } from '../../engine/did-you-mean.ts'
import type { ApiSettings, OperationTable } from '../../engine/operations/operation-table.ts'
import { refusing } from './fields.ts'

/** The operations, and other names, that the value under check refers to. */
let known: OperationTable | undefined

/**
 * Runs a check in which names of operations are those of one simulator. The checks of zod take no context, and a check is
 * synchronous, so checks of two simulators never mix.
 */
export function withOperations<Result>(operations: OperationTable | undefined, check: () => Result): Result {
  const outer = known
  known = operations ?? outer
  try {
    return check()
  } finally {
    known = outer
  }
}

/** The operations of the check that runs; undefined if it knows none, so that any name passes. */
export function knownOperations(): OperationTable | undefined {
  return known
}

/**
 * Makes a schema to which APIs add parts. Equal settings of APIs share one schema.
 * @param make the schema with these settings.
 */
export function forEachSettings<Schema>(
  make: (settings: ApiSettings) => Schema,
): (table: Pick<OperationTable, 'settings'>) => Schema {
  const made = new WeakMap<ApiSettings, Schema>()
  return ({ settings }) => {
    const schema = made.get(settings) ?? make(settings)
    made.set(settings, schema)
    return schema
  }
}

/** The names that files may use. */
type NameKind = keyof OperationTable['apiNames']

/** One of the names that the APIs of a simulator bring; any text without a simulator. */
export function apiName<Name extends string>(apiNames: NameKind): z.ZodMiniType<Name> {
  const name = z.string().check(
    refusing((value) => {
      const names = knownOperations()?.apiNames[apiNames]
      return !names || names.includes(value) ? undefined : noneOf(value, names)
    }),
    z.meta({ apiNames }),
  )
  return name as z.ZodMiniType as z.ZodMiniType<Name>
}

/** The names that are valid instead of a value, by its JSON Schema or its metadata; undefined for other values. */
export function namesFor(
  { apiNames }: { readonly [key: string]: unknown; readonly apiNames?: unknown },
  operations: OperationTable,
): readonly string[] | undefined {
  return apiNames === undefined ? undefined : operations.apiNames[apiNames as NameKind]
}

/**
 * Stand for names in examples: of an operation by its role, of a state by its role. `family` is a pattern for the operations
 * of an API, `confirm` the operation for which a task waits, `early` and `next` the first states of such a task. No room but
 * that of the APIs knows the names, so {@link fillExample} writes them.
 */
export const such = {
  family: '‹family›',
  submit: '‹submit›',
  poll: '‹poll›',
  confirm: '‹confirm›',
  early: '‹early›',
  next: '‹next›',
  queue: '‹queue›',
  work: '‹work›',
  success: '‹success›',
  failure: '‹failure›',
} as const

/** An example with the names of the APIs. */
export function fillExample<Value>(example: Value, { examples }: OperationTable): Value {
  return JSON.parse(
    JSON.stringify(example).replaceAll(/‹(\w+)›/g, (_, what: string) => examples[what] ?? what),
  ) as Value
}

/** Completes a JSON Schema of one place by the names of the APIs. */
export function fillNames(
  schema: { [key: string]: unknown; examples?: unknown[]; enum?: unknown[] },
  operations: OperationTable,
): void {
  const names = namesFor(schema, operations)
  delete schema['apiNames']
  if (names) schema.enum = [...names]
  if (schema.examples) schema.examples = fillExample(schema.examples, operations)
}
