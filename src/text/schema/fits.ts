import { fitsFormat, integerFormats } from './formats.ts'
import { canonical, takesType, typeOf, type SchemaNode } from './node.ts'

/** How many comparisons one value is worth. A schema that needs more is not one that people write. */
const mostSteps = 200_000

/** Whether a value is valid for a node, in bounded time; what takes too long doesn't fit. */
export function fits(node: SchemaNode, value: unknown): boolean {
  let steps = 0

  function all(at: SchemaNode, each: unknown): boolean {
    if (++steps > mostSteps || at.never === true) return false
    if (at.types !== undefined && !takesType(at.types, typeOf(each))) return false
    if (at.valueKeys?.has(canonical(each)) === false) return false
    if (at.ref !== undefined && !all(at.ref, each)) return false
    if (at.allOf !== undefined && !at.allOf.every((part) => all(part, each))) return false
    if (at.anyOf !== undefined && !at.anyOf.some((part) => all(part, each))) return false
    if (at.oneOf !== undefined && at.oneOf.filter((part) => all(part, each)).length !== 1) return false
    if (typeof each === 'number') return fitsNumber(at, each)
    if (typeof each === 'string') return fitsText(at, each)
    if (Array.isArray(each)) return fitsArray(at, each)
    return typeof each !== 'object' || each === null || fitsObject(at, each as Record<string, unknown>)
  }

  function fitsArray(at: SchemaNode, list: readonly unknown[]): boolean {
    if (list.length < (at.minItems ?? 0) || list.length > (at.maxItems ?? Infinity)) return false
    if (at.uniqueItems === true && new Set(list.map(canonical)).size < list.length) return false
    return list.every((each, index) => {
      const item = at.prefixItems?.[index] ?? at.items
      return item === undefined || all(item, each)
    })
  }

  function fitsObject(at: SchemaNode, object: Readonly<Record<string, unknown>>): boolean {
    const names = Object.keys(object)
    if (names.length < (at.minProperties ?? 0) || names.length > (at.maxProperties ?? Infinity)) return false
    if (!(at.required ?? []).every((name) => Object.hasOwn(object, name))) return false
    return names.every((name) => {
      if (at.propertyNames !== undefined && !all(at.propertyNames, name)) return false
      const property = at.properties?.get(name) ?? at.additional
      return property === undefined || all(property, object[name])
    })
  }

  return all(node, value)
}

function fitsNumber(node: SchemaNode, value: number): boolean {
  const range = node.format === undefined ? undefined : integerFormats[node.format]
  return (
    value >= (node.minimum ?? -Infinity) &&
    value <= (node.maximum ?? Infinity) &&
    value > (node.exclusiveMinimum ?? -Infinity) &&
    value < (node.exclusiveMaximum ?? Infinity) &&
    (node.multipleOf === undefined || Number.isInteger(value / node.multipleOf)) &&
    (range === undefined || (Number.isInteger(value) && value >= range[0] && value <= range[1]))
  )
}

function fitsText(node: SchemaNode, text: string): boolean {
  const length = [...text].length
  return (
    length >= (node.minLength ?? 0) &&
    length <= (node.maxLength ?? Infinity) &&
    (node.pattern === undefined || node.pattern.fits(text)) &&
    (node.format === undefined || fitsFormat(node.format, text))
  )
}
