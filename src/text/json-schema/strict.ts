import { SchemaRefused, type StrictSchema } from '../spec.ts'
import { isObject } from '../../engine/is-object.ts'
import { type Json } from './refuse.ts'
import { words } from './scalars.ts'

/** Keywords that structured outputs don't support. */
const refusedKeywords = words(`
  allOf oneOf not if then else dependentRequired dependentSchemas patternProperties unevaluatedProperties propertyNames
  minProperties maxProperties contains minContains maxContains uniqueItems unevaluatedItems`)

const formats = words('date-time time date duration email hostname ipv4 ipv6 uuid')

/** The keywords that may come with a reference. */
const refKeywords = new Set(['$ref', '$defs', 'definitions'])

const maxLevels = 10

/**
 * Refuses the same schemas as structured outputs with `strict: true`, in their words.
 *
 * @assumed §4.9 strict schemas are undocumented; the documented limits of structured outputs, in their service's words.
 * @throws {SchemaRefused}
 */
export function checkStrict(schema: unknown, strict: StrictSchema): void {
  const { title } = strict
  const fail = (message: string): never => {
    throw new SchemaRefused(`Invalid schema for ${title}: ${message}.`, '', strict)
  }

  function check(node: unknown, context: readonly string[], level: number): void {
    if (!isObject(node)) return
    const failHere = (message: string): never => fail(`In context=${tupleOf(context)}, ${message}`)
    const refused = refusedKeywords.find((keyword) => node[keyword] !== undefined)
    if (refused !== undefined) failHere(`'${refused}' is not permitted`)
    if (node['$ref'] !== undefined) {
      const others = Object.keys(node).filter((keyword) => !refKeywords.has(keyword))
      if (others.length > 0) failHere(`$ref cannot have keywords {${others.map((each) => `'${each}'`).join(', ')}}`) // prettier-ignore
    } else if (node['type'] === undefined && node['anyOf'] === undefined) {
      failHere("schema must have a 'type' key")
    }
    const types = [node['type']].flat()
    const isContainer = types.includes('object') || types.includes('array')
    if (isContainer && level > maxLevels) fail(`${level} levels of nesting exceeds limit of ${maxLevels}`)
    if (types.includes('object')) checkObject(node, failHere)
    if (types.includes('array') && node['items'] === undefined) failHere('array schema missing items')
    const { format } = node
    if (typeof format === 'string' && !formats.includes(format)) failHere(`'${format.slice(0, 80)}' is not a valid format`) // prettier-ignore

    const inner = isContainer ? level + 1 : level
    for (const keyword of ['properties', '$defs', 'definitions']) {
      const members = node[keyword]
      if (isObject(members))
        for (const [name, each] of Object.entries(members))
          check(each, [...context, keyword, name], keyword === 'properties' ? inner : 1)
    }
    if (node['items'] !== undefined) check(node['items'], [...context, 'items'], inner)
    const { anyOf } = node
    if (Array.isArray(anyOf))
      for (const [index, each] of anyOf.entries()) check(each, [...context, 'anyOf', String(index)], level)
  }

  function checkObject(node: Json, failHere: (message: string) => never): void {
    if (node['additionalProperties'] !== false)
      failHere("'additionalProperties' is required to be supplied and to be false")
    const names = isObject(node['properties']) ? Object.keys(node['properties']) : []
    const required: unknown[] = Array.isArray(node['required']) ? node['required'] : []
    const every = "'required' is required to be supplied and to be an array including every key in properties"
    const missing = names.find((name) => !required.includes(name))
    if (missing !== undefined) failHere(`${every}. Missing '${missing.slice(0, 80)}'`)
    const extra = required.find((name) => !names.includes(name as string))
    if (extra !== undefined) failHere(`${every}. Extra required key '${String(extra).slice(0, 80)}' supplied`)
  }

  const root = isObject(schema) ? schema : {}
  const type = typeof root['type'] === 'string' ? root['type'] : 'None'
  if (type !== 'object' && root['$ref'] === undefined)
    fail(`schema must be a JSON Schema of 'type: "object"', got 'type: "${type.slice(0, 80)}"'`)
  const choice = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].find((keyword) => root[keyword] !== undefined)
  if (choice !== undefined)
    fail(`schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level`)
  check(schema, [], 1)
}

/** A path in the form of a Python tuple. */
function tupleOf(path: readonly string[]): string {
  const quoted = path.map((each) => `'${each.slice(0, 80)}'`)
  return path.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(', ')})`
}
