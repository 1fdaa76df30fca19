import { Refused } from '../../jobs/kit/refused.ts'
import { parseObject } from '../../../gateway/bodies/json.ts'
import type { DeclaredSchema, StrictSchema, Tool, ToolChoice } from '../../../text/spec.ts'
import { show } from '../fields.ts'
import type { DeclaredFunction } from './shared-form.ts'

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

/** @throws {Refused} if two tools have one name. */
export function checkToolNames(tools: readonly Tool[], field: string): void {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Refused(`${field} declare the function ${show(twice)} twice`)
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
 * @throws {Refused} for a choice without tools, and for names that no tool has.
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
  if (tools.length === 0) throw new Refused(`${field} is only allowed when tools are specified`)
  const unknown = named?.names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new Refused(`${field} names ${show(unknown)}, which tools don't declare`)
  }
  return { mode: named?.mode ?? 'required', allowed: named?.names, parallel }
}

/** The result of a tool: an object if its text is one, otherwise the text. */
export function valueOf(text: string): unknown {
  return parseObject(text) ?? text
}
