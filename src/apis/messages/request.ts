import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { OutputFormat, TextRequest, Thinking } from '../../text/spec.ts'
import { maxTokens, tokensOfEffort } from '../chat/request.ts'
import { Fields, RequestRefused } from '../text/fields.ts'
import type { ReadRequest } from '../text/operation.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { readTexts, required } from './content.ts'
import { readConversation, type ReadingOptions } from './conversation.ts'
import { readTools } from './tools.ts'

export const minThinkingTokens = 1_024
export const maxStops = 1_000
export const thinkingTypes = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const
export const displays = ['summarized', 'omitted'] as const
export const effortNames = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** The form of a message. */
export interface MessageForm {
  readonly isStream: boolean
  /** Whether thoughts are sent as their signature only. */
  readonly isThinkingOmitted: boolean
  /** What the request has that is accepted without an effect, as sentences. */
  readonly notes: readonly string[]
}

/** Everything of a request but its limits. */
interface Prompt {
  readonly request: TextRequest
  readonly thinking: Thinking & { readonly isOmitted: boolean }
  readonly unused: readonly string[]
}

/**
 * Reads a request for a message into the form of the writer.
 *
 * @assumed §4.9 this protocol is undocumented; fields and refusals are those of the vendor's own service and SDK.
 * @throws {RequestRefused}
 */
export function readMessageRequest(
  body: JsonObject,
  model: string,
  images: ReceivedImages,
  how: ReadingOptions,
): ReadRequest<MessageForm> {
  const fields = new Fields(body as never, '')
  const { request: prompt, thinking, unused } = readPrompt(fields, model, images, how)
  if (fields.get('max_tokens') === undefined) throw new RequestRefused('max_tokens: Field required')
  const limit = fields.wholeNumber('max_tokens', 0, maxTokens)!
  checkSampling(fields, how)
  if (typeof thinking.budget === 'number' && thinking.budget >= minThinkingTokens && isManual(fields)) {
    if (limit <= thinking.budget) {
      throw new RequestRefused('max_tokens: must be greater than `thinking.budget_tokens`')
    }
    checkForcedThinking(fields, prompt)
  }
  const request: TextRequest = { ...prompt, maxTokens: limit, stop: readStops(fields) }
  const form: MessageForm = {
    isStream: fields.boolean('stream') ?? false,
    isThinkingOmitted: thinking.isOmitted,
    notes: [...toolNotes(unused), ...fieldNotes(fields)],
  }
  return { request, form }
}

/** Reads what counts as input: all but limits, sampling and how the answer is sent. @throws {RequestRefused} */
export function readPrompt(
  fields: Fields,
  model: string,
  images: ReceivedImages,
  how: ReadingOptions,
): Prompt {
  const { system, turns } = readConversation(fields.get('messages'), images, how)
  const own = fields.get('system') === undefined ? [] : readTexts(fields, 'system')
  const { tools, toolChoice, unused } = readTools(fields)
  const { isOmitted, ...thinking } = readThinking(fields)
  const instruction = [...own, ...system].join('\n')
  const request: TextRequest = {
    model,
    turns,
    output: readOutput(fields),
    tools,
    toolChoice,
    stop: [],
    candidates: 1,
    thinking,
    ...(instruction !== '' && { system: instruction }),
  }
  return { request, thinking: { ...thinking, isOmitted }, unused }
}

/**
 * Checked, but without effect here.
 * @assumed §4.9 sampling is undocumented; the vendor's page on the version 2026-10-21, which has none.
 */
function checkSampling(fields: Fields, { isStrict }: ReadingOptions): void {
  const given = ['temperature', 'top_p', 'top_k'].find((name) => fields.get(name) !== undefined)
  if (isStrict && given !== undefined) {
    throw new RequestRefused(`${given}: was removed in API version 2026-10-21; leave it out`)
  }
  fields.number('temperature', 0, 1)
  fields.number('top_p', 0, 1)
  fields.wholeNumber('top_k', 0, maxTokens)
}

function readStops(fields: Fields): readonly string[] {
  const stops = fields.texts('stop_sequences', maxStops) ?? []
  const blank = stops.findIndex((stop) => stop.trim() === '')
  if (blank < 0) return stops
  throw new RequestRefused(`stop_sequences.${blank}: each stop sequence must contain non-whitespace`)
}

function isManual(fields: Fields): boolean {
  return fields.within('thinking')?.get('type') === 'enabled'
}

/** A model that must think can be neither forced to use a tool nor sampled otherwise. */
function checkForcedThinking(fields: Fields, { toolChoice }: TextRequest): void {
  if (toolChoice.mode === 'required') {
    throw new RequestRefused('tool_choice: Thinking may not be enabled when tool_choice forces tool use.')
  }
  if ((fields.get('temperature') ?? 1) !== 1) {
    throw new RequestRefused('temperature: may only be set to 1 when thinking is enabled')
  }
}

/** The budget of a request, or what its effort stands for. */
function readThinking(fields: Fields): Thinking & { readonly isOmitted: boolean } {
  const effort = fields.within('output_config')?.oneOf('effort', effortNames)
  const thinking = fields.within('thinking')
  const type = thinking?.oneOf('type', thinkingTypes)
  if (thinking && !type) throw new RequestRefused('thinking.type: Field required')
  const isOmitted = thinking?.oneOf('display', displays) === 'omitted'
  const budget = thinking?.wholeNumber('budget_tokens', minThinkingTokens, maxTokens)
  if (type === 'adaptive') {
    return { budget: effort === undefined ? 'auto' : tokensOfEffort(effort), include: true, isOmitted }
  }
  if (type !== 'enabled') return { budget: 0, include: false, isOmitted: false }
  if (budget === undefined) throw new RequestRefused('thinking.budget_tokens: Field required')
  return { budget, include: true, isOmitted }
}

/** The format of the answer, which had a field of its own in the beta. Both are checked. */
function readOutput(fields: Fields): OutputFormat {
  const formats = [fields.within('output_config')?.within('format'), fields.within('output_format')]
  return formats.map(readFormat).find((format) => format !== undefined) ?? { kind: 'text' }
}

function readFormat(format: Fields | undefined): OutputFormat | undefined {
  if (!format) return undefined
  if (required(format, 'type') !== 'json_schema') {
    throw new RequestRefused(`${format.at('type')}: Input should be 'json_schema'`)
  }
  const schema = format.within('schema')
  if (!schema) throw new RequestRefused(`${format.at('schema')}: Field required`)
  return { kind: 'schema', schema: { dialect: 'json-schema', schema: schema.object } }
}

/** Fields of the vendor's SDK that change nothing here; `metadata` and samplings change nothing that clients can see. */
const withoutEffect = [
  'cache_control',
  'container',
  'context_management',
  'diagnostics',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'service_tier',
  'speed',
] as const

function fieldNotes(fields: Fields): string[] {
  const given = withoutEffect.filter((name) => fields.get(name) !== undefined)
  if (given.length === 0) return []
  return [`${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} accepted without effect.`]
}

function toolNotes(types: readonly string[]): string[] {
  if (types.length === 0) return []
  return [
    `Tools of type ${types.join(', ')} are accepted and never used: only those with an input_schema are.`,
  ]
}
