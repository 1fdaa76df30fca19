import type { PacedBody } from '../../gateway/reply.ts'
import type { TextCandidate, TokenLogprob } from '../../text/spec.ts'
import type { Spoken } from '../text/speak.ts'
import { streamOf } from '../text/stream.ts'
import type { Utterance } from '../text/utterance.ts'
import { finishReason, logprobsOf, toolCall, usageOf, type Imprint } from './answer.ts'
import { upstreamWords } from './words.ts'

/**
 * An answer as chunks: for each choice its role, then what it says bit by bit, then why it ends; then the usage, where
 * it is wanted, and `[DONE]`.
 *
 * @assumed §4.9 streams are not shown; wire §9.2.
 */
export function chatStream(
  { answer, trouble, asked }: Spoken,
  utterances: readonly Utterance[],
  imprint: Imprint,
  wantsUsage: boolean,
): PacedBody {
  const { id, created, model } = imprint
  const common = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null }
  // Chunks are many, and nearly all of each is the same: only what differs is written anew.
  const before = `data: ${JSON.stringify(common).slice(0, -1)},"choices":[`
  const chunk = (choices: string, usage: unknown = null): string =>
    `${before}${choices}],"usage":${usage === null ? 'null' : JSON.stringify(usage)}}\n\n`
  const choice = (
    delta: object,
    index: number,
    finish: string | null = null,
    logprobs: unknown = null,
  ): string => {
    const rest = logprobs === null && finish === null ? nothingElse : restOf(logprobs, finish)
    return chunk(`{"delta":${JSON.stringify(delta)},${rest},"index":${index}}`)
  }
  const tokens = answer.candidates.map(tokensOf)

  const dialect = {
    opening: answer.candidates.map((_, index) => choice({ content: '', role: 'assistant' }, index)).join(''),
    write: (utterance: Utterance): string => {
      const { candidate, last } = utterance
      const logprobs = utterance.kind === 'text' ? tokens[candidate]!(utterance.text) : null
      const said = deltasOf(utterance)
        .map((delta) => choice(delta, candidate, null, logprobs))
        .join('')
      return last ? said + choice({}, candidate, finishReason(answer.candidates[candidate]!)) : said
    },
    closing: (wantsUsage ? chunk('', usageOf(answer.usage)) : '') + done,
    error: (status: number, message: string) => {
      const { type, code } = upstreamWords(status)
      return { text: event({ error: { message, type, param: '', code } }), breaksOff: false }
    },
  }
  return streamOf(utterances, dialect, trouble, asked)
}

const done = 'data: [DONE]\n\n'

const restOf = (logprobs: unknown, finish: string | null): string =>
  `"logprobs":${JSON.stringify(logprobs)},"finish_reason":${JSON.stringify(finish)}`
const nothingElse = restOf(null, null)

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function deltasOf(utterance: Utterance): object[] {
  if (utterance.kind === 'thought') return [{ reasoning_content: utterance.text }]
  if (utterance.kind === 'text') return utterance.text === '' ? [] : [{ content: utterance.text }]
  const { place: index, call, first, text } = utterance
  const piece = { tool_calls: [{ index, function: { arguments: text } }] }
  return first ? [{ tool_calls: [{ index, ...toolCall(call, '') }] }, piece] : [piece]
}

/** Deals out the tokens of a candidate along its text, as they were said. */
function tokensOf({ logprobs }: TextCandidate): (text: string) => Record<string, unknown> | null {
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
