import { stopReasons } from '../../text/magic.ts'
import type { Context } from '../../gateway/route.ts'
import type { TextAnswer, TextCall, TextCandidate, TextUsage, TokenLogprob } from '../../text/spec.ts'

/** What all chunks of an answer have in common. */
export interface AnswerMetadata {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** @assumed §4.9 the id is not shown; wire §9.1: the gateway's own id of the request. */
export function imprintOf(model: string, { journal, now }: Context): AnswerMetadata {
  return { id: `chatcmpl-${journal.requestId}`, created: Math.floor(now / 1000), model }
}

/**
 * An answer in JSON.
 *
 * @param said what of it isn't its imprint's, from {@link saidIn}.
 * @assumed §4.9 the answer is not shown; wire §9.1.
 */
export function chatAnswer(said: string, { id, created, model }: AnswerMetadata): string {
  return `{"id":"${id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model)},${said}}`
}

/** What an answer says, whenever it is given: choices and usage, as fields in JSON. Written out, since it is written so often. */
export function saidIn({ candidates, usage }: TextAnswer): string {
  const choices = candidates.map(choiceOf).join(',')
  return `"choices":[${choices}],"usage":${usageOf(usage)},"service_tier":"default","system_fingerprint":null`
}

function choiceOf(candidate: TextCandidate, index: number): string {
  const { text, thoughts, calls, logprobs } = candidate
  const content = calls.length > 0 && text === '' ? 'null' : JSON.stringify(text)
  const reasoning = thoughts === undefined ? '' : `,"reasoning_content":${JSON.stringify(thoughts)}`
  const toolCalls = calls.length === 0 ? '' : `,"tool_calls":${JSON.stringify(calls.map(wholeCall))}`
  return (
    `{"index":${index},"message":{"role":"assistant","content":${content}${reasoning},"refusal":null,"annotations":[]` +
    `${toolCalls}},"logprobs":${logprobs ? logprobsOf(logprobs) : 'null'},` +
    `"finish_reason":${JSON.stringify(finishReason(candidate))}}`
  )
}

function wholeCall(call: TextCall): Record<string, unknown> {
  return toolCall(call, JSON.stringify(call.args))
}

/** In JSON. */
export function usageOf({ prompt, answer, thoughts, total }: TextUsage): string {
  return (
    `{"prompt_tokens":${prompt.total},"completion_tokens":${answer + thoughts},"total_tokens":${total},` +
    `"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":${prompt.media.audio ?? 0}},` +
    `"completion_tokens_details":{"reasoning_tokens":${thoughts},"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`
  )
}

/** A tool's call; in a stream its arguments come afterwards. */
export function toolCall({ id, name }: TextCall, args: string): Record<string, unknown> {
  return { id: `call_${id}`, type: 'function', function: { name, arguments: args } }
}

/** @assumed §4.9 reasons are not shown; wire §9.1: whatever is no plain end counts as filtered. */
export function finishReason({ finish, finishAs, calls }: TextCandidate): string {
  if (finishAs !== undefined) return reasonInWords(finishAs.toLowerCase())
  if (calls.length > 0) return 'tool_calls'
  return finish === 'stop' || finish === 'length' ? finish : 'content_filter'
}

/** A reason that was asked for; the other dialect's are understood, others are given as they are. */
function reasonInWords(word: string): string {
  if (word === 'max_tokens') return 'length'
  return (stopReasons as readonly string[]).includes(word) ? 'content_filter' : word
}

/** The probabilities of tokens, in JSON. */
export function logprobsOf(tokens: readonly TokenLogprob[]): string {
  const content = tokens.map((each) => ({ ...toLogprob(each), top_logprobs: each.top.map(toLogprob) }))
  return JSON.stringify({ content, refusal: null })
}

const encoder = new TextEncoder()

function toLogprob({ token, logprob }: { token: string; logprob: number }): object {
  return { token, logprob, bytes: [...encoder.encode(token)] }
}
