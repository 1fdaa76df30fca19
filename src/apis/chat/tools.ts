import type { Tool, ToolChoice } from '../../text/spec.ts'
import { isObject } from '../../engine/is-object.ts'
import { checkToolNames, toChoice, toTool, type NamedFunctions } from '../text/openai/tools.ts'
import type { ChatBody } from './form.ts'

interface ToolFields {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
}

/**
 * Reads the tools and the tool choice of a chat, or its legacy functions and their choice.
 *
 * @assumed §4.9 tools and functions are undocumented; wire §9.1.
 * @throws {Refused} for repeated names, and for choices of undeclared tools.
 */
export function readChatTools(body: ChatBody): ToolFields & { readonly isLegacy: boolean } {
  const { tools: ofTools = [], functions = [], tool_choice: choice, function_call: call } = body
  const tools = ofTools.map((each, index) => toTool(each.function, `tools[${index}].function`))
  const older = functions.map((each, index) => toTool(each, `functions[${index}]`))
  // Both are checked, although only one of them counts.
  checkToolNames(tools, 'tools')
  checkToolNames(older, 'functions')
  const byTools = toChoice('tool_choice', choice, tools, namedBy(choice), body.parallel_tool_calls)
  const named = isObject(call) ? ({ mode: 'required', names: [call.name] } as const) : undefined
  const byFunctions = toChoice('function_call', call, older, named, false)
  return body.tools === undefined && body.functions !== undefined
    ? { tools: older, toolChoice: byFunctions, isLegacy: true }
    : { tools, toolChoice: byTools, isLegacy: false }
}

function namedBy(choice: ChatBody['tool_choice']): NamedFunctions | undefined {
  if (typeof choice !== 'object') return undefined
  if (choice.type === 'function') return { mode: 'required', names: [choice.function.name] }
  const { mode, tools } = choice.allowed_tools
  return { mode, names: tools.map((each) => each.function.name) }
}
