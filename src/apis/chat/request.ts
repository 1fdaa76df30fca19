import { Refused } from '../jobs/kit/refused.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import type { OutputFormat, TextRequest, Thinking } from '../../text/spec.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import type { ReadRequest } from '../text/operation.ts'
import type { ChatBody } from './form.ts'
import { readMessages } from './messages.ts'
import { tokensOfEffort } from '../text/openai/shared-form.ts'
import { readChatTools } from './tools.ts'
import { toDeclared } from '../text/openai/tools.ts'

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
 * @throws {Refused}
 */
export function readChatRequest(
  body: ChatBody,
  images: ReceivedImages,
  messageLimit: number,
  { usageByDefault: usage }: Quirks,
): ReadRequest<ChatForm> {
  const { model, stream: isStream, stream_options: options, stop = [] } = body
  const { logprobs: hasLogprobs, top_logprobs: top } = body
  const { system, turns } = readMessages(body.messages, images, messageLimit)
  if (options && !isStream) throw new Refused('stream_options is only allowed when stream is true')
  if (top !== undefined && !hasLogprobs)
    throw new Refused('top_logprobs is only allowed when logprobs is true')
  const { tools, toolChoice, isLegacy } = readChatTools(body)
  const request: TextRequest = {
    model,
    turns,
    output: outputFor(body.response_format),
    tools,
    toolChoice,
    stop: typeof stop === 'string' ? [stop].filter((each) => each !== '') : stop,
    candidates: body.n,
    thinking: thinkingFor(body),
    system,
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    logprobs: hasLogprobs ? (top ?? 0) : undefined,
    seed: body.seed,
  }
  const hasUsage = usage !== 'never' && (isStream ? (options?.include_usage ?? usage === 'on') : true)
  return { request, form: { isStream, hasUsage, isLegacy } }
}

function outputFor(format: ChatBody['response_format']): OutputFormat {
  if (!format || format.type === 'text') return { kind: 'text' }
  const { name = '', schema, strict } = format.type === 'json_object' ? format : format.json_schema
  if (schema === undefined) return { kind: 'json' }
  const refusal = { title: `response_format '${name}'`, param: 'response_format', code: null }
  return { kind: 'schema', schema: toDeclared(schema, strict, refusal) }
}

/** The budget of thoughts: from an effort, or from the native settings. */
function thinkingFor({ reasoning_effort: effort, extra_body: extra }: ChatBody): Thinking {
  if (effort !== undefined) {
    const budget = tokensOfEffort(effort)
    return { budget, include: budget > 0 }
  }
  const native = extra?.google?.thinking_config
  if (!native) return { budget: 0, include: false }
  const { thinking_budget: budget = -1, include_thoughts: include = false } = native
  return { budget: budget === -1 ? 'auto' : budget, include }
}
