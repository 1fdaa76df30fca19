import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { DeclaredSchema, Tool, ToolChoice } from '../../text/spec.ts'
import { Fields, show } from '../text/fields.ts'
import { RequestRefused } from '../text/refused.ts'

const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const

const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

export const maxFunctions = 512

/**
 * Reads the functions that may be called, and which of them must.
 *
 * @assumed §4.7 tools are not shown; wire §8.2. Tools of the vendor's own, such as searching, are taken and not used.
 * @throws {RequestRefused} for names that can't be or come twice, and allowed names that nobody declared.
 */
export function readTools(fields: Fields): { tools: readonly Tool[]; toolChoice: ToolChoice } {
  const value = fields.get('tools')
  const tools = value === undefined ? [] : readDeclared(Array.isArray(value) ? value : [value])
  const config = fields.within('toolConfig')?.within('functionCallingConfig')
  return { tools, toolChoice: readChoice(config, tools) }
}

function readDeclared(given: readonly JsonValue[]): Tool[] {
  let count = 0
  const tools = given.flatMap((item, index) => {
    const tool = new Fields(item, `tools[${index}]`)
    const declared = tool.list('functionDeclarations') ?? []
    count += declared.length
    if (count > maxFunctions) {
      throw new RequestRefused(`tools declare ${count} functions or more, at most ${maxFunctions} are taken`)
    }
    return declared.map((each, place) =>
      readFunction(new Fields(each, `${tool.at('functionDeclarations')}[${place}]`)),
    )
  })
  const names = new Set<string>()
  const twice = tools.find(({ name }) => names.size === names.add(name).size)?.name
  if (twice !== undefined) throw new RequestRefused(`Duplicate function declaration found: ${twice}`)
  return tools
}

function readFunction(fields: Fields): Tool {
  const name = fields.text('name')
  if (name === undefined || !functionName.test(name)) {
    throw new RequestRefused(
      `${fields.at('name')} is ${show(name)}: a function's name begins with a letter or "_", goes on with letters, ` +
        'digits, "_", ".", ":" or "-", and has at most 128 of them',
    )
  }
  const description = fields.text('description')
  const parameters = parametersOf(fields)
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters ? { parameters } : {}),
  }
}

function parametersOf(fields: Fields): DeclaredSchema | undefined {
  const native = fields.get('parameters')
  const json = fields.get('parametersJsonSchema')
  if (native !== undefined && json !== undefined) {
    throw new RequestRefused(`only one of ${fields.at('parameters')} and parametersJsonSchema may be set`)
  }
  if (native !== undefined) return { dialect: 'native', schema: native }
  return json === undefined ? undefined : { dialect: 'json-schema', schema: json }
}

function readChoice(config: Fields | undefined, tools: readonly Tool[]): ToolChoice {
  const mode = config?.oneOf('mode', modes) ?? 'AUTO'
  const allowed = config?.texts('allowedFunctionNames', maxFunctions)
  const unknown = allowed?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new RequestRefused(`allowedFunctionNames has ${show(unknown)}, which no function declaration names`)
  }
  if (mode === 'ANY' && tools.length === 0) {
    throw new RequestRefused('functionCallingConfig.mode is ANY, and tools declare no function')
  }
  const neutral = mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : 'auto'
  // The vendor takes an empty list for none.
  return { mode: neutral, parallel: true, ...(allowed && allowed.length > 0 ? { allowed } : {}) }
}
