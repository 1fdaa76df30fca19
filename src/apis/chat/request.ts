import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Quirks } from '../../gateway/quirks.ts'
import type { OutputFormat, TextRequest, Thinking } from '../../text/spec.ts'
import { Fields, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/images.ts'
import { RequestRefused } from '../text/refused.ts'
import { readMessages } from './messages.ts'
import { readTools } from './tools.ts'

const maxTokens = 2 ** 30 - 1
/** A signed 64-bit integer in the vendor's API. */
const maxSeed = 2 ** 63
export const maxAnswers = 128

/** Roughly how long it thinks at each effort. */
const efforts = { none: 0, minimal: 32, low: 128, medium: 512, high: 2048, xhigh: 4096 } as const

const effortNames = Object.keys(efforts) as (keyof typeof efforts)[]

/** A chat request, and how its answer is to come. */
export interface ChatRequest {
  readonly text: TextRequest
  readonly stream: boolean
  /** Whether a stream ends with a chunk of usage. */
  readonly usage: boolean
}

/**
 * Reads a chat request into neutral words.
 *
 * @assumed §4.9 path and payload are not shown; wire §9.1.
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
  const text: TextRequest = { model, turns, output, tools, toolChoice, stop, candidates, thinking }
  if (system !== undefined) text.system = system
  if (maxTokens !== undefined) text.maxTokens = maxTokens
  if (logprobs !== undefined) text.logprobs = logprobs
  const seed = fields.number('seed', -maxSeed, maxSeed)
  if (seed !== undefined) text.seed = seed
  return { stream, usage, text }
}

/** Checked, though nothing follows from them here: dice have one temperature. */
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
    const most = fields.wholeNumber(name, 1, maxTokens)
    if (most !== undefined) return most
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
  const wanted = fields.boolean('logprobs') ?? false
  const top = fields.wholeNumber('top_logprobs', 0, 20)
  if (top !== undefined && !wanted)
    throw new RequestRefused('top_logprobs is only allowed when logprobs is true')
  return wanted ? (top ?? 0) : undefined
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

/** By an effort, or by the native settings that the gateway hands on. Thoughts that are asked for are shown. */
function readThinking(fields: Fields): Thinking {
  const effort = fields.oneOf('reasoning_effort', effortNames)
  if (effort !== undefined) return { budget: efforts[effort], include: efforts[effort] > 0 }
  const native = fields.within('extra_body')?.within('google')?.within('thinking_config')
  if (!native) return { budget: 0, include: false }
  const budget = native.wholeNumber('thinking_budget', -1, maxTokens) ?? -1
  return { budget: budget === -1 ? 'auto' : budget, include: native.boolean('include_thoughts') ?? false }
}
