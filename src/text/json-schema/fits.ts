import type { WorkBudget } from '../../engine/work-budget.ts'
import { keyOf, propertyNodes, sameValueNodes, takesType, typeOf, type SchemaNode } from './node.ts'
import { fitsNumber } from './numbers.ts'
import { fitsText } from './texts.ts'
import { schemaWork } from './refuse.ts'

/** Memoized results for one value, because many references may lead to the same node. */
type Known = Map<SchemaNode, boolean>

/** The work units of one comparison. */
const stepWork = 0.3

/**
 * Whether a value is valid for a node.
 * @throws {WorkRefused} when the budget runs out.
 */
export function fits(node: SchemaNode, value: unknown, work: WorkBudget): boolean {
  function all(at: SchemaNode, each: unknown, known?: Known): boolean {
    work.spend(stepWork, schemaWork)
    if (at.not === undefined && sameValueNodes(at).length === 0) return fitsAlone(at, each)
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
    if (at.not !== undefined && fitsPart(at.not)) return false
    for (const { parts, isOneOf } of at.choices ?? [])
      if (isOneOf ? parts.filter(fitsPart).length !== 1 : !parts.some(fitsPart)) return false
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
    if (at.contains !== undefined) {
      const { contains, minContains = 1, maxContains = Infinity } = at
      const count = list.filter((each) => all(contains, each)).length
      if (count < minContains || count > maxContains) return false
    }
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
      return propertyNodes(at, name, work).every((property) => all(property, object[name]))
    })
  }

  return all(node, value)
}
