import type { Quirks } from '../../scenario/vocabulary/types.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { OutputFormat, TextRequest, Thinking, Tool, ToolChoice } from '../../text/spec.ts'
import { Fields, isObject, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { readMessages } from './messages.ts'

const maxTokens = 2 ** 30 - 1
/** A signed 64-bit integer in the vendor's API. */
const maxSeed = 2 ** 63
export const maxAnswers = 128

/** Tokens of thoughts at each effort. */
const efforts = { none: 0, minimal: 32, low: 128, medium: 512, high: 2048, xhigh: 4096 } as const

const effortNames = Object.keys(efforts) as (keyof typeof efforts)[]

/** A chat request, and the form that its answer takes. */
export interface ChatRequest {
  readonly text: TextRequest
  readonly stream: boolean
  /** Whether a stream ends with a chunk of usage. */
  readonly usage: boolean
}

/**
 * Reads a chat request into the form of the writer.
 *
 * @assumed §4.9 path and payload are undocumented; wire §9.1.
 * @throws {RequestRefused}
 */
export function readChatRequest(
  body: JsonObject,
  model: string,
  images: ReceivedImages,
  messageLimit: number,
  quirks: Quirks,
): ChatRequest {
  const fields = new Fields(body as never, '')
  const { system, turns } = readMessages(fields.get('messages'), images, messageLimit)
  const stream = fields.boolean('stream') ?? false
  const options = fields.within('stream_options')
  if (options && !stream) throw new RequestRefused('stream_options is only allowed when stream is true')
  checkSampling(fields)
  const maxTokens = readMaxTokens(fields)
  const logprobs = readLogprobs(fields)
  const usage = options?.boolean('include_usage') ?? quirks.usageByDefault === 'on'
  const output = readOutput(fields.within('response_format'))
  const { tools, toolChoice } = readTools(fields)
  const stop = readStop(fields)
  const candidates = fields.wholeNumber('n', 1, maxAnswers) ?? 1
  const thinking = readThinking(fields)
  const seed = fields.number('seed', -maxSeed, maxSeed)
  const text: TextRequest = {
    model,
    turns,
    output,
    tools,
    toolChoice,
    stop,
    candidates,
    thinking,
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(logprobs !== undefined && { logprobs }),
    ...(seed !== undefined && { seed }),
  }
  return { stream, usage, text }
}

/** Checked, but without effect here. */
function checkSampling(fields: Fields): void {
  fields.number('temperature', 0, 2)
  fields.number('top_p', 0, 1)
  fields.number('presence_penalty', -2, 2)
  fields.number('frequency_penalty', -2, 2)
}

function readMaxTokens(fields: Fields): number | undefined {
  for (const name of ['max_completion_tokens', 'max_tokens']) {
    const value = fields.get(name)
    if (typeof value === 'number' && value > maxTokens)
      throw new RequestRefused('max_tokens is invalid', 'gateway')
    const limit = fields.wholeNumber(name, 1, maxTokens)
    if (limit !== undefined) return limit
  }
  return undefined
}

function readStop(fields: Fields): readonly string[] {
  const stop = fields.get('stop')
  if (typeof stop === 'string') return stop === '' ? [] : [stop]
  if (stop === undefined || Array.isArray(stop)) return fields.texts('stop', 5) ?? []
  throw new RequestRefused(`field stop must be a string or an array of strings, not ${show(stop)}`)
}

function readLogprobs(fields: Fields): number | undefined {
  const hasLogprobs = fields.boolean('logprobs') ?? false
  const top = fields.wholeNumber('top_logprobs', 0, 20)
  if (top !== undefined && !hasLogprobs)
    throw new RequestRefused('top_logprobs is only allowed when logprobs is true')
  return hasLogprobs ? (top ?? 0) : undefined
}

function readOutput(format: Fields | undefined): OutputFormat {
  if (!format) return { kind: 'text' }
  const type = format.oneOf('type', ['text', 'json_object', 'json_schema'])
  if (type === 'json_object') return { kind: 'json' }
  if (type === 'text') return { kind: 'text' }
  const named = format.within('json_schema')
  const schema = named?.get('schema')
  if (!type || !named?.text('name') || schema === undefined) {
    throw new RequestRefused(
      'response_format must be {"type": "text"}, {"type": "json_object"} or ' +
        '{"type": "json_schema", "json_schema": {"name": …, "schema": {…}}}',
    )
  }
  return { kind: 'schema', schema: { dialect: 'json-schema', schema } }
}

/** From an effort, or from the native settings that the gateway passes on. */
function readThinking(fields: Fields): Thinking {
  const effort = fields.oneOf('reasoning_effort', effortNames)
  if (effort !== undefined) return { budget: efforts[effort], include: efforts[effort] > 0 }
  const native = fields.within('extra_body')?.within('google')?.within('thinking_config')
  if (!native) return { budget: 0, include: false }
  const budget = native.wholeNumber('thinking_budget', -1, maxTokens) ?? -1
  return { budget: budget === -1 ? 'auto' : budget, include: native.boolean('include_thoughts') ?? false }
}

const functionName = /^[A-Za-z0-9_.-]{1,128}$/

export const maxTools = 128

/**
 * Reads tools and the choice among them.
 *
 * @assumed §4.9 tools are undocumented; wire §9.1.
 * @throws {RequestRefused} for invalid or repeated names, and for choices of undeclared tools.
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

/** The functions that a choice names, and whether one of them must be called. */
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
