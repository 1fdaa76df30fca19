import { Refused } from '../jobs/kit/refused.ts'
import { isObject } from '../../engine/is-object.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { OutputFormat, TextRequest, Thinking, Turn } from '../../text/spec.ts'
import { tokensOfEffort } from '../text/openai/shared-form.ts'
import { checkToolNames, toChoice, toDeclared, toTool, type NamedFunctions } from '../text/openai/tools.ts'
import { show } from '../text/fields.ts'
import type { ReadRequest } from '../text/operation.ts'
import type { ResponseBody } from './form.ts'
import { readItems, type Context } from './items.ts'

/** The maximum length, as JSON, of the fields that a response repeats: tools, format, metadata and others. */
export const maxSettingsCharacters = 1_000_000

/** The form of a response. */
export interface ResponseForm {
  readonly isStream: boolean
  readonly isStored: boolean
  readonly previous: string | null
  /** Whether the response contains thoughts as a summary. Otherwise, they are only counted. */
  readonly hasSummary: boolean
  /** Whether reasoning has an encrypted text, which clients return if nothing is stored. */
  readonly isEncrypted: boolean
  /** The turns of the request, without earlier ones. */
  readonly turns: readonly Turn[]
  readonly items: readonly JsonObject[]
  /** The fields of the request that the response repeats. */
  readonly settings: JsonObject
  /** Types of tools that are accepted and never called. */
  readonly unusedTools: readonly string[]
}

/**
 * Reads a request for a response into the form of the writer.
 *
 * @assumed §4.9 the Responses API is undocumented; its fields are those of the protocol's own service.
 * @param raw the body as the client wrote it.
 * @throws {Refused}
 */
export function readResponseRequest(
  body: ResponseBody,
  raw: JsonObject,
  messageLimit: number,
  context: Context,
): ReadRequest<ResponseForm> {
  const { system, turns, items } = readItems(body.input, raw['input'], messageLimit, context)
  const all = [...context.history, ...turns]
  if (all.length === 0) throw new Refused('input must not be empty')
  const { include = [], top_logprobs: top, max_output_tokens: maxTokens, tools: given = [] } = body
  const hasLogprobs = top !== undefined || include.includes('message.output_text.logprobs')
  const { tools, toolChoice } = readTools(body)
  const instruction = [body.instructions ?? [], system].flat().join('\n')
  const thinking = thinkingFor(body)
  const request: TextRequest = {
    model: body.model,
    turns: all,
    output: outputFor(body.text?.format),
    tools,
    toolChoice,
    stop: [],
    candidates: 1,
    thinking,
    ...(instruction !== '' && { system: instruction }),
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(hasLogprobs && { logprobs: top ?? 0 }),
  }
  const unused = given.flatMap(({ type }) => (type === 'function' ? [] : [show(type)]))
  const form: ResponseForm = {
    isStream: body.stream,
    isStored: body.store,
    previous: body.previous_response_id ?? null,
    hasSummary: hasSummary(body) || thinking.budget === 0,
    isEncrypted: include.includes('reasoning.encrypted_content'),
    turns,
    items,
    settings: settingsOf(raw),
    unusedTools: [...new Set(unused)],
  }
  return { request, form }
}

/** The tools of a request. Those of the service itself are accepted, but never called. @throws {Refused} */
function readTools(body: ResponseBody): Pick<TextRequest, 'tools' | 'toolChoice'> {
  const { tools: given = [], tool_choice: choice, parallel_tool_calls: parallel } = body
  const tools = given.flatMap((tool, index) => ('name' in tool ? [toTool(tool, `tools[${index}]`)] : []))
  checkToolNames(tools, 'tools')
  const named = namedBy(choice)
  const isOther = typeof choice === 'object' && named === undefined
  return { tools, toolChoice: toChoice('tool_choice', isOther ? 'auto' : choice, tools, named, parallel) }
}

function namedBy(choice: ResponseBody['tool_choice']): NamedFunctions | undefined {
  if (typeof choice !== 'object') return undefined
  if ('name' in choice) return { mode: 'required', names: [choice.name] }
  if (choice.type !== 'allowed_tools') return undefined
  const { mode = 'auto', tools = [] } = choice
  return { mode, names: tools.map(({ name }) => name) }
}

function outputFor(format: NonNullable<ResponseBody['text']>['format']): OutputFormat {
  if (!format || format.type === 'text') return { kind: 'text' }
  const { name = '', schema, strict } = format
  if (schema === undefined) return { kind: 'json' }
  const refusal = {
    title: `response_format '${name}'`,
    param: 'text.format.schema',
    code: 'invalid_json_schema',
  }
  return { kind: 'schema', schema: toDeclared(schema, strict, refusal) }
}

function thinkingFor({ reasoning }: ResponseBody): Thinking {
  const budget = reasoning?.effort ? tokensOfEffort(reasoning.effort) : 0
  return { budget, include: budget > 0 }
}

function hasSummary({ reasoning }: ResponseBody): boolean {
  return Boolean(reasoning?.summary ?? reasoning?.generate_summary)
}

/** @throws {Refused} if the fields are too long to repeat and store. */
function settingsOf(raw: JsonObject): JsonObject {
  const settings = repeatedFields(raw)
  const { length } = JSON.stringify({ ...settings, instructions: null })
  if (length <= maxSettingsCharacters) return settings
  throw new Refused(
    `tools, text, metadata and the like have ${length} characters, at most ${maxSettingsCharacters} are taken`,
  )
}

function repeatedFields(raw: JsonObject): JsonObject {
  const given = (name: string, otherwise: JsonValue): JsonValue => raw[name] ?? otherwise
  const inside = (name: string, field: string): JsonValue => {
    const holder = raw[name]
    return (isObject(holder) ? holder[field] : null) ?? null
  }
  return {
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: given('previous_response_id', null),
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: {
      effort: inside('reasoning', 'effort'),
      summary: inside('reasoning', 'summary'),
    },
    safety_identifier: given('safety_identifier', null),
    service_tier: 'default',
    store: given('store', true),
    temperature: given('temperature', 1),
    text: {
      format: inside('text', 'format') ?? { type: 'text' },
      verbosity: inside('text', 'verbosity') ?? 'medium',
    },
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    ...('user' in raw && { user: given('user', null) }),
    metadata: given('metadata', {}),
  }
}
