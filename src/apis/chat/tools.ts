import type { DeclaredSchema, StrictSchema, Tool, ToolChoice } from '../../text/spec.ts'
import { isObject } from '../../engine/is-object.ts'
import { RequestRefused, show } from '../text/fields.ts'
import type { ChatBody } from './form.ts'
import type { DeclaredFunction } from './shared-form.ts'

interface ToolFields {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
}

/**
 * The tools and the tool choice of a chat, or its functions and their choice, which tools have replaced.
 *
 * @assumed §4.9 tools and functions are undocumented; wire §9.1.
 * @throws {RequestRefused} for repeated names, and for choices of undeclared tools.
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

/** A declared function. @param path its place. */
export function toTool({ name, description, parameters, strict }: DeclaredFunction, path: string): Tool {
  const refusal = {
    title: `function '${name}'`,
    param: `${path}.parameters`,
    code: 'invalid_function_parameters',
  }
  return {
    name,
    description,
    parameters: parameters === undefined ? undefined : toDeclared(parameters, strict, refusal),
  }
}

/**
 * A declared schema. It is strict if the object that contains it sets that.
 * @assumed §4.9 strict schemas are undocumented; structured outputs, wire §9.1.
 */
export function toDeclared(
  schema: unknown,
  isStrict: boolean | undefined,
  refusal: StrictSchema,
): DeclaredSchema {
  return { dialect: 'json-schema', schema, strict: isStrict ? refusal : undefined }
}

function namedBy(choice: ChatBody['tool_choice']): NamedFunctions | undefined {
  if (typeof choice !== 'object') return undefined
  if (choice.type === 'function') return { mode: 'required', names: [choice.function.name] }
  const { mode, tools } = choice.allowed_tools
  return { mode, names: tools.map((each) => each.function.name) }
}

/** @throws {RequestRefused} if two tools have one name. */
export function checkToolNames(tools: readonly Tool[], field: string): void {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RequestRefused(`${field} declare the function ${show(twice)} twice`)
}

/** The functions that a choice names, and whether one must be called. */
export interface NamedFunctions {
  readonly mode: ToolChoice['mode']
  readonly names: readonly string[]
}

/**
 * The tools that may or must be called.
 *
 * @param choice as the form reads it. @param named the functions in it, if it is an object.
 * @throws {RequestRefused} for a choice without tools, and for names that no tool has.
 */
export function toChoice(
  field: string,
  choice: unknown,
  tools: readonly Tool[],
  named: NamedFunctions | undefined,
  parallel: boolean,
): ToolChoice {
  if (choice === undefined) return { mode: tools.length === 0 ? 'none' : 'auto', parallel }
  if (choice === 'none' || choice === 'auto') return { mode: choice, parallel }
  if (tools.length === 0) throw new RequestRefused(`${field} is only allowed when tools are specified`)
  const unknown = named?.names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new RequestRefused(`${field} names ${show(unknown)}, which tools don't declare`)
  }
  return { mode: named?.mode ?? 'required', allowed: named?.names, parallel }
}
