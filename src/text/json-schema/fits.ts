import type { WorkBudget } from '../../engine/work-budget.ts'
import { fitsFormat, integerFormats } from './formats.ts'
import { isCombined, keyOf, takesType, typeOf, type SchemaNode } from './node.ts'
import { schemaWork } from './schema-work.ts'

/** What was found out about one value. References may lead to the same node in very many ways. */
type Known = Map<SchemaNode, boolean>

/** The units of one comparison. */
const stepWork = 0.3

/**
 * Whether a value is valid for a node.
 * @throws {WorkRefused} when the budget runs out.
 */
export function fits(node: SchemaNode, value: unknown, work: WorkBudget): boolean {
  function all(at: SchemaNode, each: unknown, known?: Known): boolean {
    work.spend(stepWork, schemaWork)
    if (!isCombined(at)) return fitsAlone(at, each)
    const found = known?.get(at)
    if (found !== undefined) return found
    const result = fitsTogether(at, each, known ?? new Map())
    known?.set(at, result)
    return result
  }

  function fitsTogether(at: SchemaNode, each: unknown, known: Known): boolean {
    if (at.ref !== undefined && !all(at.ref, each, known)) return false
    if (at.allOf !== undefined && !at.allOf.every((part) => all(part, each, known))) return false
    if (at.anyOf !== undefined && !at.anyOf.some((part) => all(part, each, known))) return false
    if (at.oneOf !== undefined && at.oneOf.filter((part) => all(part, each, known)).length !== 1) return false
    return fitsAlone(at, each)
  }

  function fitsAlone(at: SchemaNode, each: unknown): boolean {
    if (at.never === true) return false
    if (at.types !== undefined && !takesType(at.types, typeOf(each))) return false
    if (at.valueKeys?.has(keyOf(each, work)) === false) return false
    if (typeof each === 'number') return fitsNumber(at, each)
    if (typeof each === 'string') return fitsText(at, each, work)
    if (Array.isArray(each)) return fitsArray(at, each)
    return typeof each !== 'object' || each === null || fitsObject(at, each as Record<string, unknown>)
  }

  function fitsArray(at: SchemaNode, list: readonly unknown[]): boolean {
    if (list.length < (at.minItems ?? 0) || list.length > (at.maxItems ?? Infinity)) return false
    if (at.uniqueItems === true && new Set(list.map((each) => keyOf(each, work))).size < list.length)
      return false
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

/** The units of looking at a character of a text. */
const characterWork = 0.02

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

function fitsText(node: SchemaNode, text: string, work: WorkBudget): boolean {
  work.spend(text.length * characterWork, schemaWork)
  const length = [...text].length
  return (
    length >= (node.minLength ?? 0) &&
    length <= (node.maxLength ?? Infinity) &&
    (node.pattern === undefined || node.pattern.fits(text, work)) &&
    (node.format === undefined || fitsFormat(node.format, text))
  )
}
