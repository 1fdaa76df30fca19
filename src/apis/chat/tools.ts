import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { DeclaredSchema, StrictSchema, Tool, ToolChoice } from '../../text/spec.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'

export const functionName = /^[A-Za-z0-9_.-]{1,128}$/

export const maxTools = 128

interface ToolFields {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
}

/**
 * Reads tools and the tool choice.
 *
 * @assumed §4.9 tools are undocumented; wire §9.1.
 * @param nested the field that contains name and parameters, if they are nested more deeply than the type. Without it,
 * tools of other types are accepted too, but never called.
 * @throws {RequestRefused} for invalid or repeated names, and for choices of undeclared tools.
 */
export function readTools(fields: Fields, nested?: 'function'): ToolFields {
  const given = fields.list('tools', maxTools) ?? []
  const tools = given.flatMap((each, index) => {
    const tool = new Fields(each, `tools[${index}]`)
    const type = tool.text('type')
    if (nested === undefined && type !== undefined && type !== 'function') return []
    const declared = type === 'function' ? within(tool, nested) : undefined
    if (declared) return [readFunction(declared)]
    const name = nested === undefined ? '"name": …' : `"${nested}": {…}`
    throw new RequestRefused(`${tool.path} must be {"type": "function", ${name}}`)
  })
  checkNames(tools, 'tools')
  const parallel = fields.boolean('parallel_tool_calls') ?? true
  const choice = fields.get('tool_choice')
  const named = isObject(choice) ? namedBy(new Fields(choice, 'tool_choice'), nested) : undefined
  const isOther = nested === undefined && isObject(choice) && named === undefined
  return { tools, toolChoice: readChoice('tool_choice', isOther ? 'auto' : choice, tools, named, parallel) }
}

/**
 * Reads functions and the function choice, which tools have replaced.
 * @assumed §4.9 functions are undocumented; they are those of the protocol's own service.
 * @throws {RequestRefused}
 */
export function readFunctions(fields: Fields): ToolFields {
  const given = fields.list('functions', maxTools) ?? []
  const tools = given.map((each, index) => readFunction(new Fields(each, `functions[${index}]`)))
  checkNames(tools, 'functions')
  const choice = fields.get('function_call')
  const name = isObject(choice) ? new Fields(choice, 'function_call').text('name') : undefined
  const named = name === undefined ? undefined : ({ mode: 'required', names: [name] } as const)
  return { tools, toolChoice: readChoice('function_call', choice, tools, named, false) }
}

function within(fields: Fields, nested: string | undefined): Fields | undefined {
  return nested === undefined ? fields : fields.within(nested)
}

function readFunction(declared: Fields): Tool {
  const name = declared.text('name')
  if (name === undefined || !functionName.test(name)) {
    throw new RequestRefused(
      `${declared.at('name')} is ${show(name)}: a function's name has 1 to 128 letters, digits, "_", "." or "-"`,
    )
  }
  const description = declared.text('description')
  const schema = declared.schema('parameters')
  declared.boolean('strict')
  const strict = {
    title: `function '${name}'`,
    param: declared.at('parameters'),
    code: 'invalid_function_parameters',
  }
  return {
    name,
    description,
    parameters: schema === undefined ? undefined : declareSchema(schema, declared, strict),
  }
}

/**
 * Declares a schema. It is strict if the object that contains it sets that.
 * @assumed §4.9 strict schemas are undocumented; structured outputs, wire §9.1.
 */
export function declareSchema(schema: JsonValue, holder: Fields, strict: StrictSchema): DeclaredSchema {
  return { dialect: 'json-schema', schema, strict: holder.boolean('strict') ? strict : undefined }
}

function checkNames(tools: readonly Tool[], field: string): void {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RequestRefused(`${field} declare the function ${show(twice)} twice`)
}

/** The functions that a choice names, and whether one must be called. */
interface NamedFunctions {
  readonly mode: ToolChoice['mode']
  readonly names: readonly string[]
}

function readChoice(
  field: string,
  choice: JsonValue | undefined,
  tools: readonly Tool[],
  named: NamedFunctions | undefined,
  parallel: boolean,
): ToolChoice {
  if (choice === undefined) return { mode: tools.length === 0 ? 'none' : 'auto', parallel }
  if (choice === 'none' || choice === 'auto') return { mode: choice, parallel }
  if (choice !== 'required' && !named) {
    throw new RequestRefused(`${field} must be "none", "auto", "required" or a function, not ${show(choice)}`)
  }
  if (tools.length === 0) throw new RequestRefused(`${field} is only allowed when tools are specified`)
  const unknown = named?.names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new RequestRefused(`${field} names ${show(unknown)}, which tools don't declare`)
  }
  return { mode: named?.mode ?? 'required', allowed: named?.names, parallel }
}

function namedBy(choice: Fields, nested: string | undefined): NamedFunctions | undefined {
  const type = choice.get('type')
  if (type === 'function') return { mode: 'required', names: [within(choice, nested)?.text('name') ?? ''] }
  if (type !== 'allowed_tools') return undefined
  const allowed = nested === undefined ? choice : choice.within('allowed_tools')
  const names = allowed
    ?.list('tools', maxTools)
    ?.map(
      (each, index) => within(new Fields(each, allowed.at(`tools[${index}]`)), nested)?.text('name') ?? '',
    )
  return { mode: allowed?.oneOf('mode', ['auto', 'required']) ?? 'auto', names: names ?? [] }
}
