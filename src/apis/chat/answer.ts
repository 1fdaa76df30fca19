import { toUnixSeconds } from '../../engine/clock/duration.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { stopReasons } from '../../text/directives.ts'
import type { TextAnswer, TextCandidate, TextUsage } from '../../text/spec.ts'
import { logprobsOf, toolCall } from '../text/openai/words.ts'
import type { ChatForm } from './request.ts'

/** The fields that all chunks of an answer share. */
export interface ChatMetadata {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** @assumed §4.9 the id is undocumented; wire §9.1: the gateway's own id of the request. */
export function metadataOf(model: string, { entry, now }: Exchange): ChatMetadata {
  return { id: `chatcmpl-${entry.requestId}`, created: toUnixSeconds(now), model }
}

/** @assumed §4.9 the answer is undocumented; wire §9.1. */
export function chatAnswer(
  { candidates, usage }: TextAnswer,
  metadata: ChatMetadata,
  { isLegacy, hasUsage }: Pick<ChatForm, 'isLegacy' | 'hasUsage'>,
): unknown {
  const { id, created, model } = metadata
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: candidates.map((candidate, index) => choiceOf(candidate, index, isLegacy)),
    usage: hasUsage ? usageOf(usage) : undefined,
    service_tier: 'default',
  }
}

function choiceOf(candidate: TextCandidate, index: number, isLegacy: boolean): unknown {
  const { text, thoughts, calls, isRefusal = false, logprobs } = candidate
  return {
    index,
    message: {
      role: 'assistant',
      content: isRefusal || (calls.length > 0 && text === '') ? null : text,
      reasoning_content: thoughts,
      refusal: isRefusal ? text : null,
      annotations: [],
      function_call: isLegacy && calls[0] ? toolCall(calls[0]).function : undefined,
      tool_calls: !isLegacy && calls.length > 0 ? calls.map((call) => toolCall(call)) : undefined,
    },
    logprobs: logprobs ? logprobsOf(logprobs) : null,
    finish_reason: finishReason(candidate, isLegacy),
  }
}

export function usageOf({ prompt, answer, thoughts, total }: TextUsage): unknown {
  return {
    prompt_tokens: prompt.total,
    completion_tokens: answer + thoughts,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: prompt.media.audio ?? 0 },
    completion_tokens_details: {
      reasoning_tokens: thoughts,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** @assumed §4.9 reasons are undocumented; wire §9.1: every unusual end counts as filtered. */
export function finishReason({ finish, finishAs, calls }: TextCandidate, isLegacy: boolean): string {
  if (finishAs !== undefined) return translateReason(finishAs.toLowerCase())
  if (calls.length > 0 && (finish === 'tool_calls' || finish === 'stop'))
    return isLegacy ? 'function_call' : 'tool_calls'
  return finish === 'stop' || finish === 'length' ? finish : 'content_filter'
}

/** Translates a reason that a rule sets. Reasons of the native API are translated, others are passed on. */
function translateReason(reason: string): string {
  if (reason === 'max_tokens') return 'length'
  return (stopReasons as readonly string[]).includes(reason) ? 'content_filter' : reason
}
