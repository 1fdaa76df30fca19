import type { WorkBudget } from '../../engine/work-budget.ts'
import {
  propertyNodes,
  sameValueNodes,
  takesType,
  typeOf,
  under,
  type JsonType,
  type SchemaNode,
} from './node.ts'
import { integerFormats } from './numbers.ts'
import type { ReadSchema } from './read.ts'
import { refuseSchema, schemaWork } from './refuse.ts'

/** The depth of the smallest value of each node. `Infinity` if every value is endless. */
export type MinDepths = ReadonlyMap<SchemaNode, number>

/** Longer texts are refused: no answer is that long. */
const maxTextLength = 5_000
const maxArrayLength = 5_000

/**
 * Refuses contradictions within one place: bounds in the wrong order, patterns and lengths that exclude each other,
 * required properties that are not allowed, endless recursion.
 * @throws {SchemaRefused} with the pointer.
 * @throws {WorkRefused} when the budget runs out.
 */
export function checkSchema({ root, nodes }: ReadSchema, work: WorkBudget): MinDepths {
  for (const node of nodes) checkNode(node, work)
  checkLoops(nodes)
  const depths = measure(nodes, work)
  if (depths.get(root) === Infinity) refuseSchema(findEndless(root, depths), 'it requires itself without end, or something that nothing fits: make a property on the way optional') // prettier-ignore
  return depths
}

function checkNode(node: SchemaNode, work: WorkBudget): void {
  const { pointer } = node
  const ordered = (low: keyof SchemaNode, high: keyof SchemaNode): void => {
    const [least, most] = [node[low], node[high]]
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most) return
    refuseSchema(under(pointer, low), `${low} ${least} is above ${high} ${most}, so nothing can fit`)
  }
  ordered('minimum', 'maximum')
  ordered('exclusiveMinimum', 'exclusiveMaximum')
  ordered('exclusiveMinimum', 'maximum')
  ordered('minimum', 'exclusiveMaximum')
  ordered('minLength', 'maxLength')
  ordered('minItems', 'maxItems')
  ordered('minProperties', 'maxProperties')
  checkText(node, work)
  for (const keyword of ['minItems', 'minContains'] as const) {
    const min = node[keyword] ?? 0
    if (min > maxArrayLength)
      refuseSchema(
        under(pointer, keyword),
        `${min} is more than the ${maxArrayLength} items that greenroom writes`,
      )
  }
  checkWhole(node)
  for (const name of node.required ?? []) {
    if (node.additional?.never === true && propertyNodes(node, name, work).includes(node.additional)) {
      const what = `"${name.slice(0, 80)}" is required, but no such property may be there`
      refuseSchema(under(pointer, 'required'), what)
    }
  }
  if (node.maxProperties !== undefined && new Set(node.required).size > node.maxProperties) {
    refuseSchema(under(pointer, 'maxProperties'), `more properties are required than the ${node.maxProperties} that may be there`) // prettier-ignore
  }
  if (node.values !== undefined && node.types !== undefined) {
    const { types } = node
    if (!node.values.some((value) => takesType(types, typeOf(value)))) {
      refuseSchema(under(pointer, 'enum'), `none of the values has the type ${[...types].join(' or ')}`)
    }
  }
}

function checkText(
  { pointer, minLength = 0, maxLength = Infinity, pattern }: SchemaNode,
  work: WorkBudget,
): void {
  if (minLength > maxTextLength) {
    refuseSchema(under(pointer, 'minLength'), `${minLength} is more than the ${maxTextLength} characters that greenroom writes`) // prettier-ignore
  }
  if (pattern === undefined) return
  if (pattern.draw({ min: minLength, max: maxLength }, () => 0, work) !== undefined) return
  const span = maxLength === Infinity ? `from ${minLength}` : `from ${minLength} to ${maxLength}`
  refuseSchema(under(pointer, 'pattern'), `no text of a length ${span} fits the pattern`)
}

function checkWhole({ pointer, types, minimum, maximum, format }: SchemaNode): void {
  const range = format === undefined ? undefined : integerFormats[format]
  if (range !== undefined && ((minimum ?? range[0]) > range[1] || (maximum ?? range[1]) < range[0])) {
    refuseSchema(under(pointer, 'format'), `no ${format} is within the bounds`)
  }
  const onlyWhole = types?.size === 1 && types.has('integer')
  if (
    onlyWhole &&
    minimum !== undefined &&
    maximum !== undefined &&
    Math.ceil(minimum) > Math.floor(maximum)
  ) {
    refuseSchema(under(pointer, 'minimum'), `there is no whole number from ${minimum} to ${maximum}`)
  }
}

/** Refuses a schema that leads back to itself only by references and alternatives. It would never end. */
function checkLoops(nodes: readonly SchemaNode[]): void {
  const done = new Map<SchemaNode, number>()
  const onWay = new Set<SchemaNode>()
  const visit = (node: SchemaNode): number => {
    const known = done.get(node)
    if (known !== undefined) return known
    if (onWay.has(node)) refuseSchema(node.pointer, 'it is defined as itself: give it a type of its own')
    onWay.add(node)
    let links = 0
    const same = node.not === undefined ? sameValueNodes(node) : [...sameValueNodes(node), node.not]
    if (onWay.size <= maxLinks) for (const each of same) links = Math.max(links, 1 + visit(each))
    if (onWay.size + links > maxLinks) {
      refuseSchema(
        node.pointer,
        `more than ${maxLinks} references and alternatives lead from one to the next`,
      )
    }
    onWay.delete(node)
    done.set(node, links)
    return links
  }
  for (const node of nodes) visit(node)
}

/** The maximum length of a chain of nodes for one value. */
export const maxLinks = 100

/** The work units of visiting one node, or its target, in a pass. */
const passWork = 0.3

/** Computes depths in passes. A value is one level deeper than its deepest required part; this finds the least solution. */
function measure(nodes: readonly SchemaNode[], work: WorkBudget): MinDepths {
  const depths = new Map<SchemaNode, number>(nodes.map((node) => [node, Infinity]))
  const of = (node: SchemaNode): number => depths.get(node) ?? Infinity
  const needed = new Map(nodes.map((node) => [node, (node.required ?? []).flatMap((name) => propertyNodes(node, name, work))])) // prettier-ignore
  const links = nodes.reduce((sum, node) => sum + 1 + sameValueNodes(node).length + needed.get(node)!.length, 0) // prettier-ignore
  let isChanged = true
  while (isChanged) {
    isChanged = false
    work.spend(passWork * links, schemaWork)
    for (const node of nodes.toReversed()) {
      const depth = Math.max(
        ownDepth(node, needed.get(node)!, of),
        ...(node.ref === undefined ? [] : [of(node.ref)]),
        ...(node.allOf ?? []).map(of),
        ...(node.choices ?? []).map(({ parts }) => Math.min(...parts.map(of))),
      )
      if (depth === of(node)) continue
      depths.set(node, depth)
      isChanged = true
    }
  }
  return depths
}

function ownDepth(node: SchemaNode, needed: readonly SchemaNode[], of: (node: SchemaNode) => number): number {
  if (node.never === true) return Infinity
  if (node.values !== undefined) return 0
  const types = node.types ?? new Set(impliedTypes(node))
  if ([...types].some((type) => type !== 'object' && type !== 'array')) return 0
  const ways: number[] = []
  if (types.has('object')) ways.push(1 + Math.max(0, ...needed.map(of)))
  if (types.has('array')) {
    const count = node.minItems ?? 0
    const tuple = (node.prefixItems ?? []).slice(0, count)
    const rest = count > tuple.length && node.items !== undefined ? [node.items] : []
    ways.push(1 + Math.max(0, ...[...tuple, ...rest].map(of)))
  }
  return ways.length === 0 ? 0 : Math.min(...ways)
}

/** The type that the keywords of a schema without a type imply. */
export function impliedTypes(node: SchemaNode): JsonType[] {
  const { required = [], properties, patternProperties, additional, items, prefixItems, minItems, contains } = node // prettier-ignore
  if ((properties ?? patternProperties ?? additional) !== undefined || required.length > 0) return ['object']
  return (items ?? prefixItems ?? minItems ?? contains) === undefined ? [] : ['array']
}

/** The node that closes an endless circle of references. */
function findEndless(root: SchemaNode, depths: MinDepths): string {
  const seen = new Set<SchemaNode>()
  let node = root
  while (!seen.has(node)) {
    seen.add(node)
    const parts = [...sameValueNodes(node), ...(node.properties?.values() ?? []), ...(node.items === undefined ? [] : [node.items])] // prettier-ignore
    const next = parts.find((part) => depths.get(part) === Infinity)
    if (next === undefined) break
    node = next
  }
  return node.pointer
}
