import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Tool, ToolChoice } from '../../text/spec.ts'
import { Fields, isObject, show } from '../text/fields.ts'
import { RequestRefused } from '../text/refused.ts'

const functionName = /^[A-Za-z0-9_.-]{1,128}$/

export const maxTools = 128

/**
 * Reads tools, and which of them must be called.
 *
 * @assumed §4.9 tools are not shown; wire §9.1.
 * @throws {RequestRefused} for names that can't be or come twice, and choices that nobody declared.
 */
export function readTools(fields: Fields): { tools: readonly Tool[]; toolChoice: ToolChoice } {
  const given = fields.list('tools', maxTools)
  const tools = given ? readDeclared(given) : []
  const parallel = fields.boolean('parallel_tool_calls') ?? true
  return { tools, toolChoice: readChoice(fields, tools, parallel) }
}

function readDeclared(given: readonly JsonValue[]): Tool[] {
  const tools = given.map((each, index) => readTool(new Fields(each, `tools[${index}]`)))
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RequestRefused(`tools declare the function ${show(twice)} twice`)
  return tools
}

function readTool(tool: Fields): Tool {
  const declared = tool.oneOf('type', ['function']) && tool.within('function')
  if (!declared) throw new RequestRefused(`${tool.path} must be {"type": "function", "function": {…}}`)
  const name = declared.text('name')
  if (name === undefined || !functionName.test(name)) {
    throw new RequestRefused(
      `${declared.at('name')} is ${show(name)}: a function's name has 1 to 128 letters, digits, "_", "." or "-"`,
    )
  }
  const description = declared.text('description')
  const schema = declared.get('parameters')
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { parameters: { dialect: 'json-schema', schema } }),
  }
}

function readChoice(fields: Fields, tools: readonly Tool[], parallel: boolean): ToolChoice {
  const choice = fields.get('tool_choice')
  if (choice === undefined) return { mode: tools.length === 0 ? 'none' : 'auto', parallel }
  if (choice === 'none' || choice === 'auto') return { mode: choice, parallel }
  const allowed = choice === 'required' ? undefined : namedBy(choice)
  if (choice !== 'required' && !allowed) {
    throw new RequestRefused(
      'tool_choice must be "none", "auto", "required" or {"type": "function", "function": {"name": …}}, ' +
        `not ${show(choice)}`,
    )
  }
  if (tools.length === 0) throw new RequestRefused('tool_choice is only allowed when tools are specified')
  const unknown = allowed?.names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined)
    throw new RequestRefused(`tool_choice names ${show(unknown)}, which tools don't declare`)
  return { mode: allowed?.mode ?? 'required', parallel, ...(allowed ? { allowed: allowed.names } : {}) }
}

/** The functions that a choice names: one that must be called, or some that may or must be. */
function namedBy(choice: unknown): { mode: ToolChoice['mode']; names: string[] } | undefined {
  if (!isObject(choice as never)) return undefined
  const fields = new Fields(choice as never, 'tool_choice')
  if (fields.get('type') === 'function') {
    return { mode: 'required', names: [fields.within('function')?.text('name') ?? ''] }
  }
  if (fields.get('type') !== 'allowed_tools') return undefined
  const allowed = fields.within('allowed_tools')
  const names = allowed?.list('tools', maxTools)?.map((each, index) => {
    return (
      new Fields(each, `tool_choice.allowed_tools.tools[${index}]`).within('function')?.text('name') ?? ''
    )
  })
  return { mode: allowed?.oneOf('mode', ['auto', 'required']) ?? 'auto', names: names ?? [] }
}
