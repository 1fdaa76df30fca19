import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextCandidate, TextTiming } from '../../text/spec.ts'
import type { BilledAnswer } from '../text/answer.ts'
import type { CallDialect, CallPart } from '../text/calls/dialect.ts'
import { encodeTexts, streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/delta.ts'
import { finishReason, usageOf, type ChatMetadata } from './answer.ts'
import { dealTokens, logprobsOf, toolCall, upstreamWords } from '../text/openai/words.ts'
import type { ChatForm } from './request.ts'

/**
 * An answer as chunks. Each choice has a role, pieces of text and a finish reason. Then come the usage, if the request
 * includes it, and `[DONE]`.
 *
 * @assumed §4.9 streams are undocumented; wire §9.2.
 */
export function chatStream(
  billed: BilledAnswer,
  pace: TextTiming,
  { id, created, model }: ChatMetadata,
  { hasUsage, isLegacy }: ChatForm,
  calls?: CallDialect,
): PacedBody {
  const { candidates, usage } = billed.answer
  const chunk = (choices: readonly unknown[], counts: unknown = null): string =>
    event({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      usage: counts,
    })
  const choice = (
    index: number,
    delta: object,
    finish: string | null = null,
    logprobs: unknown = null,
  ): string => chunk([{ delta, logprobs, finish_reason: finish, index }])
  const texts = candidates.map(({ isRefusal }, index) =>
    encodeTexts((text) => choice(index, isRefusal ? { refusal: text } : { content: text })),
  )
  const tokens = candidates.map(dealTokens)
  return streamOf(billed, pace, {
    opening: candidates.map((_, index) => choice(index, { content: '', role: 'assistant' })).join(''),
    write: (delta) => {
      const { candidate: index, kind, text, last } = delta
      const candidate = candidates[index]!
      if (kind === 'text' && !last && !candidate.logprobs) return texts[index]!(text)
      const logprobs = kind === 'text' && candidate.logprobs ? logprobsOf(tokens[index]!(text)) : null
      const events = contentsOf(delta, candidate, isLegacy, calls).map((content) =>
        choice(index, content, null, logprobs),
      )
      if (last) events.push(choice(index, {}, finishReason(candidate, isLegacy)))
      return events.join('')
    },
    closing: () => (hasUsage ? chunk([], usageOf(usage)) : ''),
    end: 'data: [DONE]\n\n',
    final: 'delta',
    calls,
    error: (status, message) => {
      const { type, code } = upstreamWords(status)
      return { text: event({ error: { message, type, param: '', code } }), breaksOff: false }
    },
  })
}

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** The content that a delta adds to its choice. */
function contentsOf(
  delta: TextDelta,
  { isRefusal }: TextCandidate,
  isLegacy: boolean,
  calls: CallDialect | undefined,
): object[] {
  const { text } = delta
  if (delta.kind === 'thought') return [{ reasoning_content: text }]
  if (delta.kind === 'text') return text === '' ? [] : [isRefusal ? { refusal: text } : { content: text }]
  const { place: index, call, isFirstOfCall } = delta
  const begun = toolCall(call, '')
  if (isLegacy) {
    if (index > 0) return []
    const piece = { function_call: { arguments: text } }
    return isFirstOfCall ? [{ function_call: begun.function }, piece] : [piece]
  }
  const { isWhole = false, write = (part: CallPart) => part } = calls ?? {}
  const parts: CallPart[] =
    isFirstOfCall && isWhole
      ? [{ index, ...toolCall(call, text) }]
      : isFirstOfCall
        ? [
            { index, ...begun },
            { index, function: { arguments: text } },
          ]
        : [{ index, function: { arguments: text } }]
  return parts.map((part) => ({ tool_calls: [write(part)] }))
}
