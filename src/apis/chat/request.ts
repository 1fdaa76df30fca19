import type { Quirks } from '../../scenario/vocabulary/types.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { OutputFormat, TextRequest, Thinking } from '../../text/spec.ts'
import { Fields, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import type { ReadRequest } from '../text/operation.ts'
import { readMessages } from './messages.ts'
import { declareSchema, readFunctions, readTools } from './tools.ts'

export const maxTokens = 2 ** 30 - 1
export const maxStops = 5
/** A signed 64-bit integer in the vendor's API. */
export const maxSeed = 2 ** 63
export const maxAnswers = 128

/** The number of thought tokens for each effort. */
const efforts = { none: 0, minimal: 32, low: 128, medium: 512, high: 2048, xhigh: 4096, max: 8192 } as const

export const effortNames = Object.keys(efforts) as (keyof typeof efforts)[]

/** The form of a chat's answer. */
export interface ChatForm {
  readonly isStream: boolean
  /** Whether a stream ends with a chunk of usage. */
  readonly hasUsage: boolean
  /** Whether the request declares `functions` instead of `tools`. Then a call is a `function_call`. */
  readonly isLegacy: boolean
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
): ReadRequest<ChatForm> {
  const fields = new Fields(body as never, '')
  const { system, turns } = readMessages(fields.get('messages'), images, messageLimit)
  const isStream = fields.boolean('stream') ?? false
  const options = fields.within('stream_options')
  if (options && !isStream) throw new RequestRefused('stream_options is only allowed when stream is true')
  checkSampling(fields)
  const maxTokens = readMaxTokens(fields)
  const logprobs = readLogprobs(fields)
  const hasUsage = options?.boolean('include_usage') ?? quirks.usageByDefault === 'on'
  const output = readOutput(fields.within('response_format'), 'json_schema')
  const isLegacy = fields.get('tools') === undefined && fields.get('functions') !== undefined
  // Both are checked, although only one of them counts.
  const [byTools, byFunctions] = [readTools(fields, 'function'), readFunctions(fields)]
  const { tools, toolChoice } = isLegacy ? byFunctions : byTools
  const stop = readStop(fields)
  const candidates = fields.wholeNumber('n', 1, maxAnswers) ?? 1
  const thinking = readThinking(fields)
  const seed = fields.number('seed', -maxSeed, maxSeed)
  const request: TextRequest = {
    model,
    turns,
    output,
    tools,
    toolChoice,
    stop,
    candidates,
    thinking,
    system,
    maxTokens,
    logprobs,
    seed,
  }
  return { request, form: { isStream, hasUsage, isLegacy } }
}

/** Checks sampling parameters, which have no effect here. */
export function checkSampling(fields: Fields): void {
  fields.number('temperature', 0, 2)
  fields.number('top_p', 0, 1)
  fields.number('presence_penalty', -2, 2)
  fields.number('frequency_penalty', -2, 2)
}

export function readMaxTokens(
  fields: Fields,
  names: readonly string[] = ['max_completion_tokens', 'max_tokens'],
  min = 1,
): number | undefined {
  const limits = names.map((name) => {
    const value = fields.get(name)
    if (typeof value === 'number' && value > maxTokens)
      throw new RequestRefused('max_tokens is invalid', 'gateway')
    return fields.wholeNumber(name, min, maxTokens)
  })
  return limits.find((limit) => limit !== undefined)
}

function readStop(fields: Fields): readonly string[] {
  const stop = fields.get('stop')
  if (typeof stop === 'string') return stop === '' ? [] : [stop]
  if (stop === undefined || Array.isArray(stop)) return fields.texts('stop', maxStops) ?? []
  throw new RequestRefused(`field stop must be a string or an array of strings, not ${show(stop)}`)
}

function readLogprobs(fields: Fields): number | undefined {
  const hasLogprobs = fields.boolean('logprobs') ?? false
  const top = fields.wholeNumber('top_logprobs', 0, 20)
  if (top !== undefined && !hasLogprobs)
    throw new RequestRefused('top_logprobs is only allowed when logprobs is true')
  return hasLogprobs ? (top ?? 0) : undefined
}

/**
 * Reads the format of the answer.
 * @param nested the field that contains name and schema, if they are nested more deeply than the type.
 */
export function readOutput(format: Fields | undefined, nested?: string): OutputFormat {
  if (!format) return { kind: 'text' }
  const type = format.oneOf('type', ['text', 'json_object', 'json_schema'])
  if (type === 'text') return { kind: 'text' }
  // Other services of this protocol accept a schema for `json_object`, too.
  const named = type === 'json_object' || nested === undefined ? format : format.within(nested)
  const schema = named?.schema('schema')
  if (type === 'json_object' && schema === undefined) return { kind: 'json' }
  const name = named?.text('name') ?? ''
  if (named && schema !== undefined && (type === 'json_object' || (type && name !== ''))) {
    const title = `response_format '${name}'`
    const refusal = nested
      ? { param: format.path, code: null }
      : { param: format.at('schema'), code: 'invalid_json_schema' }
    return { kind: 'schema', schema: declareSchema(schema, named, { title, ...refusal }) }
  }
  const inner = '"name": …, "schema": {…}'
  throw new RequestRefused(
    `${format.path} must be {"type": "text"}, {"type": "json_object"} or ` +
      `{"type": "json_schema", ${nested === undefined ? inner : `"${nested}": {${inner}}`}}`,
  )
}

/** Reads the budget of thoughts from an effort, or from the native settings that the gateway passes on. */
function readThinking(fields: Fields): Thinking {
  const budget = readEffort(fields, 'reasoning_effort')
  if (budget !== undefined) return { budget, include: budget > 0 }
  const native = fields.within('extra_body')?.within('google')?.within('thinking_config')
  if (!native) return { budget: 0, include: false }
  const tokens = native.wholeNumber('thinking_budget', -1, maxTokens) ?? -1
  return { budget: tokens === -1 ? 'auto' : tokens, include: native.boolean('include_thoughts') ?? false }
}

/** The number of thought tokens for an effort. */
export function readEffort(fields: Fields, name: string): number | undefined {
  const effort = fields.oneOf(name, effortNames)
  return effort && tokensOfEffort(effort)
}

export function tokensOfEffort(effort: (typeof effortNames)[number]): number {
  return efforts[effort]
}
