import { keyOf, propertyNodes, sameValueNodes, takesType, typeOf, type SchemaNode } from './node.ts'
import { fitsNumber } from './numbers.ts'
import { fitsText } from './texts.ts'

/** Memoized results for one value, because many references may lead to the same node. */
type Known = Map<SchemaNode, boolean>

/** More comparisons than that are given up. */
const maxComparisons = 1_000_000

/** Whether a value is valid for a node. */
export function fits(node: SchemaNode, value: unknown): boolean {
  let comparisons = 0

  function all(at: SchemaNode, each: unknown, known?: Known): boolean {
    if (++comparisons > maxComparisons) return false
    if (sameValueNodes(at).length === 0) return fitsAlone(at, each)
    const found = known?.get(at)
    if (found !== undefined) return found
    const result = fitsTogether(at, each, known ?? new Map())
    known?.set(at, result)
    return result
  }

  function fitsTogether(at: SchemaNode, each: unknown, known: Known): boolean {
    const fitsPart = (part: SchemaNode): boolean => all(part, each, known)
    if (at.ref !== undefined && !fitsPart(at.ref)) return false
    if (at.allOf?.every(fitsPart) === false) return false
    for (const { parts, isOneOf } of at.choices ?? [])
      if (isOneOf ? parts.filter(fitsPart).length !== 1 : !parts.some(fitsPart)) return false
    return fitsAlone(at, each)
  }

  function fitsAlone(at: SchemaNode, each: unknown): boolean {
    if (at.never === true) return false
    if (at.types !== undefined && !takesType(at.types, typeOf(each))) return false
    if (at.valueKeys?.has(keyOf(each)) === false) return false
    if (typeof each === 'number') return fitsNumber(at, each)
    if (typeof each === 'string') return fitsText(at, each)
    if (Array.isArray(each)) return fitsArray(at, each)
    return typeof each !== 'object' || each === null || fitsObject(at, each as Record<string, unknown>)
  }

  function fitsArray(at: SchemaNode, list: readonly unknown[]): boolean {
    if (list.length < (at.minItems ?? 0) || list.length > (at.maxItems ?? Infinity)) return false
    if (at.uniqueItems === true && new Set(list.map((each) => keyOf(each))).size < list.length) return false
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
      return propertyNodes(at, name).every((property) => all(property, object[name]))
    })
  }

  return all(node, value)
}
