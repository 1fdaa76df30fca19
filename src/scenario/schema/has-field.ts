import type * as z from 'zod/mini'
import { definitionOf, unwrapSchema } from './schema-walk.ts'

/** Whether a value that fits a schema can have a field at a path. `*` is each entry of a list or an object. */
export function hasField(schema: z.core.$ZodType, [step, ...rest]: readonly (string | number)[]): boolean {
  if (step === undefined) return true
  const { type, shape, catchall, element, items, valueType, options } = definitionOf(unwrapSchema(schema))
  if (options) return options.some((option) => hasField(option, [step, ...rest]))
  if (type === 'any' || type === 'unknown') return true
  if (shape) {
    if (step === '*') return Object.values(shape).some((each) => hasField(each, rest))
    const own = Object.hasOwn(shape, step) ? shape[step] : undefined
    return own ? hasField(own, rest) : catchall !== undefined && definitionOf(catchall).type !== 'never'
  }
  const isEntry = step === '*' || /^\d+$/.test(String(step))
  if (element) return isEntry && hasField(element, rest)
  if (items) return isEntry && items.some((each) => hasField(each, rest))
  return valueType !== undefined && hasField(valueType, rest)
}
