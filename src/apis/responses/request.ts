import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { TextRequest, Thinking, Turn } from '../../text/spec.ts'
import { checkSampling, readEffort, readMaxTokens, readOutput } from '../chat/request.ts'
import { readTools } from '../chat/tools.ts'
import { Fields, RequestRefused, show } from '../text/fields.ts'
import type { ReadRequest } from '../text/operation.ts'
import { readItems, type Context } from './items.ts'

/** The minimum of the protocol's own service. */
export const minMaxTokens = 16
export const maxIncludes = 50

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
 * @assumed §4.9 this protocol is undocumented; its fields are those of the protocol's own service.
 * @throws {RequestRefused}
 */
export function readResponseRequest(
  body: JsonObject,
  model: string,
  messageLimit: number,
  context: Context,
): ReadRequest<ResponseForm> {
  const fields = new Fields(body as never, '')
  refuseOthers(fields)
  const { system, turns, items } = readItems(fields.get('input'), messageLimit, context)
  const all = [...context.history, ...turns]
  if (all.length === 0) throw new RequestRefused('input must not be empty')
  checkSampling(fields)
  const instructions = fields.text('instructions')
  const include = fields.texts('include', maxIncludes) ?? []
  const top = fields.wholeNumber('top_logprobs', 0, 20)
  const hasLogprobs = top !== undefined || include.includes('message.output_text.logprobs')
  const maxTokens = readMaxTokens(fields, ['max_output_tokens'], minMaxTokens)
  const { tools, toolChoice } = readTools(fields)
  const instruction = [instructions, ...system].filter((text) => text !== undefined).join('\n')
  const request: TextRequest = {
    model,
    turns: all,
    output: readOutput(fields.within('text')?.within('format')),
    tools,
    toolChoice,
    stop: [],
    candidates: 1,
    thinking: readThinking(fields),
    ...(instruction !== '' && { system: instruction }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(hasLogprobs && { logprobs: top ?? 0 }),
  }
  const form: ResponseForm = {
    isStream: fields.boolean('stream') ?? false,
    isStored: fields.boolean('store') ?? true,
    previous: fields.text('previous_response_id') ?? null,
    hasSummary: hasSummary(fields) || request.thinking.budget === 0,
    isEncrypted: include.includes('reasoning.encrypted_content'),
    turns,
    items,
    settings: settingsOf(fields),
    unusedTools: unusedTools(fields),
  }
  return { request, form }
}

/** Refuses parameters that would not have the expected effect. */
function refuseOthers(fields: Fields): void {
  if (fields.boolean('background')) {
    throw new RequestRefused(
      'background responses are not offered: leave background out and wait for the response',
    )
  }
  if (fields.get('conversation') !== undefined) {
    throw new RequestRefused('conversations are not offered: use previous_response_id')
  }
  if (fields.get('prompt') !== undefined) {
    throw new RequestRefused('stored prompts are not offered: send the text as instructions and input')
  }
}

function readThinking(fields: Fields): Thinking {
  const reasoning = fields.within('reasoning')
  const budget = (reasoning && readEffort(reasoning, 'effort')) ?? 0
  return { budget, include: budget > 0 }
}

export const summaries = ['auto', 'concise', 'detailed'] as const

function hasSummary(fields: Fields): boolean {
  const reasoning = fields.within('reasoning')
  const given = ['summary', 'generate_summary'].map((name) => reasoning?.oneOf(name, summaries))
  return given.some((summary) => summary !== undefined)
}

/** @throws {RequestRefused} if the fields are too long to repeat and store. */
function settingsOf(fields: Fields): JsonObject {
  const settings = repeatedFields(fields)
  const { length } = JSON.stringify({ ...settings, instructions: null })
  if (length <= maxSettingsCharacters) return settings
  throw new RequestRefused(
    `tools, text, metadata and the like have ${length} characters, at most ${maxSettingsCharacters} are taken`,
  )
}

function repeatedFields(fields: Fields): JsonObject {
  const { object } = fields
  const given = (name: string, otherwise: JsonObject[string]): JsonObject[string] => object[name] ?? otherwise
  const text = fields.within('text')
  const reasoning = fields.within('reasoning')
  return {
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: given('previous_response_id', null),
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: {
      effort: reasoning?.get('effort') ?? null,
      summary: reasoning?.get('summary') ?? null,
    },
    safety_identifier: given('safety_identifier', null),
    service_tier: 'default',
    store: given('store', true),
    temperature: given('temperature', 1),
    text: {
      format: text?.get('format') ?? { type: 'text' },
      verbosity: text?.get('verbosity') ?? 'medium',
    },
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    user: given('user', null),
    metadata: given('metadata', {}),
  }
}

function unusedTools(fields: Fields): string[] {
  const types = (fields.list('tools') ?? []).map(
    (tool) => new Fields(tool, 'tools').text('type') ?? 'function',
  )
  return [...new Set(types.filter((type) => type !== 'function').map((type) => show(type)))]
}
