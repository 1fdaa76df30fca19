import type { Tool, ToolChoice } from '../../text/spec.ts'
import { Fields, RequestRefused, show } from '../text/fields.ts'
import { required } from './content.ts'

export const toolName = /^[a-zA-Z0-9_-]{1,128}$/

export const maxTools = 512

export const choices = ['auto', 'any', 'tool', 'none'] as const

interface ToolFields {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
  /** Types of the vendor's own tools, which are accepted and never used. */
  readonly unused: readonly string[]
}

/**
 * Reads tools and the choice among them.
 *
 * @assumed §4.9 this protocol is undocumented; tools and refusals are those of the vendor's own service.
 * @throws {RequestRefused} for invalid or repeated names, schemas of no object, and choices of undeclared tools.
 */
export function readTools(fields: Fields): ToolFields {
  const given = (fields.list('tools', maxTools) ?? []).map(
    (each, index) => new Fields(each, `tools.${index}`),
  )
  const custom = given.filter(isCustom)
  const tools = custom.map(readTool)
  const names = given.map((tool) => tool.text('name'))
  const twice = names.findIndex((name, index) => name !== undefined && names.indexOf(name) !== index)
  if (twice >= 0)
    throw new RequestRefused(
      `tools.${twice}.name: Tool names must be unique, not ${show(names[twice])} again`,
    )
  const unused = [...new Set(given.filter((tool) => !isCustom(tool)).map((tool) => required(tool, 'type')))]
  return { tools, toolChoice: readChoice(fields.within('tool_choice'), tools, names), unused }
}

function isCustom(tool: Fields): boolean {
  return (tool.text('type') ?? 'custom') === 'custom'
}

function readTool(tool: Fields): Tool {
  const name = required(tool, 'name')
  if (!toolName.test(name)) {
    throw new RequestRefused(
      `${tool.at('name')}: String should match pattern '${toolName.source}', not ${show(name)}`,
    )
  }
  const schema = tool.within('input_schema')
  if (!schema) throw new RequestRefused(`${tool.at('input_schema')}: Field required`)
  if (schema.object['type'] !== 'object') {
    throw new RequestRefused(
      `${schema.at('type')}: Input should be 'object', not ${show(schema.object['type'])}`,
    )
  }
  tool.boolean('strict')
  return {
    name,
    description: tool.text('description'),
    parameters: { dialect: 'json-schema', schema: schema.object },
  }
}

function readChoice(
  choice: Fields | undefined,
  tools: readonly Tool[],
  names: readonly (string | undefined)[],
): ToolChoice {
  if (!choice) return { mode: tools.length === 0 ? 'none' : 'auto', parallel: true }
  const type = choice.oneOf('type', choices)
  if (!type) throw new RequestRefused(`${choice.at('type')}: Field required`)
  const parallel = !(choice.boolean('disable_parallel_tool_use') ?? false)
  if (type === 'auto' || type === 'none') return { mode: type, parallel }
  if (names.length === 0) throw new RequestRefused('tool_choice: may only be specified while providing tools')
  if (type === 'any') return { mode: tools.length === 0 ? 'none' : 'required', parallel }
  const name = required(choice, 'name')
  if (!names.includes(name)) {
    throw new RequestRefused(`${choice.at('name')}: Tool ${show(name)} not found in provided tools`)
  }
  const isUsed = tools.some((tool) => tool.name === name)
  return isUsed ? { mode: 'required', allowed: [name], parallel } : { mode: 'none', parallel }
}
