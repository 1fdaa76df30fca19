import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextCandidate, TextTiming, TokenLogprob } from '../../text/spec.ts'
import type { BilledAnswer } from '../text/generate-answer.ts'
import { streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/text-delta.ts'
import { finishReason, logprobsOf, toolCall, usageOf, type AnswerMetadata } from './answer.ts'
import { upstreamWords } from './words.ts'

/**
 * An answer as chunks: for each choice its role, then what it says bit by bit, then why it ends; then the usage, where
 * it is wanted, and `[DONE]`.
 *
 * @assumed §4.9 streams are not shown; wire §9.2.
 */
export function chatStream(
  spoken: BilledAnswer,
  pace: TextTiming,
  { id, created, model }: AnswerMetadata,
  wantsUsage: boolean,
): PacedBody {
  const { answer } = spoken
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null }
  const tokens = answer.candidates.map(tokensOf)
  const aroundText = answer.candidates.map((_, index) => choice('{"content":\n}', index).split('\n'))
  return streamOf(spoken, pace, {
    frame: { before: `data: ${JSON.stringify(common).slice(0, -1)},"choices":[`, after: '}\n\n' },
    opening: answer.candidates.map((_, index) => choice('{"content":"","role":"assistant"}', index)),
    write: (utterance) => {
      const { candidate, last } = utterance
      if (isUsual(utterance, answer.candidates[candidate]!)) {
        const [before, behind] = aroundText[candidate]!
        return [before! + JSON.stringify(utterance.text) + behind!]
      }
      const logprobs = utterance.kind === 'text' ? tokens[candidate]!(utterance.text) : null
      const said: string[] = []
      for (const delta of deltasOf(utterance)) said.push(choice(delta, candidate, null, logprobs))
      if (last) said.push(choice('{}', candidate, finishReason(answer.candidates[candidate]!)))
      return said
    },
    closing: wantsUsage ? [`],"usage":${usageOf(answer.usage)}`] : [],
    end: 'data: [DONE]\n\n',
    error: (status, message) => {
      const { type, code } = upstreamWords(status)
      return { text: event({ error: { message, type, param: '', code } }), breaksOff: false }
    },
  })
}

/** A chunk's choice and what stands behind it. `delta` is JSON. */
function choice(
  delta: string,
  index: number,
  finish: string | null = null,
  logprobs: string | null = null,
): string {
  const rest = `"logprobs":${logprobs},"finish_reason":${JSON.stringify(finish)}`
  return `{"delta":${delta},${rest},"index":${index}}],"usage":null`
}

/** Whether an utterance says some text and nothing else, as nearly all do. */
function isUsual({ kind, text, last }: TextDelta, { logprobs }: TextCandidate): boolean {
  return kind === 'text' && text !== '' && !last && logprobs === undefined
}

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** What an utterance adds, in JSON. */
function deltasOf(utterance: TextDelta): string[] {
  const { text } = utterance
  if (utterance.kind === 'thought') return [`{"reasoning_content":${JSON.stringify(text)}}`]
  if (utterance.kind === 'text') return text === '' ? [] : [`{"content":${JSON.stringify(text)}}`]
  const { place: index, call, first } = utterance
  const piece = JSON.stringify({ tool_calls: [{ index, function: { arguments: text } }] })
  if (!first) return [piece]
  return [JSON.stringify({ tool_calls: [{ index, ...toolCall(call, '') }] }), piece]
}

/** Deals out the tokens of a candidate along its text, as they were said. */
function tokensOf({ logprobs }: TextCandidate): (text: string) => string | null {
  let at = 0
  return (text) => {
    if (!logprobs) return null
    const dealt: TokenLogprob[] = []
    for (let left = text.length; left > 0 && at < logprobs.length; at++) {
      dealt.push(logprobs[at]!)
      left -= logprobs[at]!.token.length
    }
    return logprobsOf(dealt)
  }
}
