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
import { refuseSchema } from './refuse.ts'

/** The depth of the smallest value of each node. `Infinity` if every value is endless. */
export type MinDepths = ReadonlyMap<SchemaNode, number>

/** Longer texts are refused: no answer is that long. */
const maxTextLength = 5_000
const maxArrayLength = 5_000

/**
 * Refuses contradictions within one place: bounds in the wrong order, patterns and lengths that exclude each other,
 * required properties that are not allowed, endless recursion.
 * @throws {SchemaRefused} with the pointer.
 */
export function checkSchema({ root, nodes }: ReadSchema): MinDepths {
  for (const node of nodes) checkNode(node)
  checkLoops(nodes)
  const depths = measure(nodes)
  if (depths.get(root) === Infinity) refuseSchema(findEndless(root, depths), 'it requires itself without end, or something that nothing fits: make a property on the way optional') // prettier-ignore
  return depths
}

function checkNode(node: SchemaNode): void {
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
  checkText(node)
  const { minItems = 0 } = node
  if (minItems > maxArrayLength)
    refuseSchema(
      under(pointer, 'minItems'),
      `${minItems} is more than the ${maxArrayLength} items that greenroom writes`,
    )
  checkWhole(node)
  for (const name of node.required ?? []) {
    if (node.additional?.never === true && propertyNodes(node, name).includes(node.additional)) {
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

function checkText({ pointer, minLength = 0, maxLength = Infinity, pattern }: SchemaNode): void {
  if (minLength > maxTextLength) {
    refuseSchema(under(pointer, 'minLength'), `${minLength} is more than the ${maxTextLength} characters that greenroom writes`) // prettier-ignore
  }
  if (pattern === undefined) return
  if (pattern.draw({ min: minLength, max: maxLength }, () => 0) !== undefined) return
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
    if (onWay.size <= maxLinks)
      for (const each of sameValueNodes(node)) links = Math.max(links, 1 + visit(each))
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

/**
 * Computes the depth of each node as soon as all that it requires has one. What only waits for itself stays endless.
 */
function measure(nodes: readonly SchemaNode[]): MinDepths {
  const depths = new Map<SchemaNode, number>(nodes.map((node) => [node, Infinity]))
  const of = (node: SchemaNode): number => depths.get(node) ?? Infinity
  const waiting = new Map<SchemaNode, Set<SchemaNode>>(nodes.map((node) => [node, new Set()]))
  for (const node of nodes)
    for (const each of [...sameValueNodes(node), ...requiredProperties(node), ...requiredItems(node)])
      waiting.get(each)?.add(node)
  const open = new Set(nodes.toReversed())
  for (const node of open) {
    open.delete(node)
    const depth = depthOf(node, of)
    if (of(node) < Infinity || depth === Infinity) continue
    depths.set(node, depth)
    for (const each of waiting.get(node)!) open.add(each)
  }
  return depths
}

/** A value is one level deeper than its deepest required part. */
function depthOf(node: SchemaNode, of: (node: SchemaNode) => number): number {
  const { ref, allOf = [], choices = [] } = node
  const parts = ref === undefined ? allOf : [ref, ...allOf]
  let depth = ownDepth(node, of)
  for (const part of parts) depth = Math.max(depth, of(part))
  for (const choice of choices) depth = Math.max(depth, Math.min(...choice.parts.map(of)))
  return depth
}

function requiredProperties(node: SchemaNode): SchemaNode[] {
  return (node.required ?? []).flatMap((name) => propertyNodes(node, name))
}

function requiredItems({ minItems = 0, prefixItems = [], items }: SchemaNode): SchemaNode[] {
  const tuple = prefixItems.slice(0, minItems)
  return minItems > tuple.length && items !== undefined ? [...tuple, items] : tuple
}

function ownDepth(node: SchemaNode, of: (node: SchemaNode) => number): number {
  if (node.never === true) return Infinity
  if (node.values !== undefined) return 0
  const types = node.types ?? new Set(impliedTypes(node))
  if (types.size === 0 || [...types].some((type) => type !== 'object' && type !== 'array')) return 0
  const deepest = (parts: readonly SchemaNode[]): number =>
    1 + parts.reduce((most, part) => Math.max(most, of(part)), 0)
  const ways: number[] = []
  if (types.has('object')) ways.push(deepest(requiredProperties(node)))
  if (types.has('array')) ways.push(deepest(requiredItems(node)))
  return Math.min(...ways)
}

/** The type that the keywords of a schema without a type imply. */
export function impliedTypes(node: SchemaNode): JsonType[] {
  const { required = [], properties, additional, items, prefixItems, minItems } = node
  if ((properties ?? additional) !== undefined || required.length > 0) return ['object']
  return (items ?? prefixItems ?? minItems) === undefined ? [] : ['array']
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
