import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextAnswer, TextTiming } from '../../text/spec.ts'
import { once } from '../../text/once.ts'
import type { BilledAnswer } from '../text/generate-answer.ts'
import { streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/text-delta.ts'
import { blockedAnswer, callPart, contentOf, endOf, usageOf, type AnswerMetadata } from './answer.ts'
import type { Framing } from './framing.ts'
import { errorEvent } from './refuse.ts'

/**
 * An answer as the chunks of a stream: each holds what is new, the last of a candidate how it ends. Nothing tells
 * that the stream is over but its end.
 *
 * @assumed §4.8 the shape of the chunks is not shown; wire §8.4.
 */
export function nativeStream(
  spoken: BilledAnswer,
  pace: TextTiming,
  imprint: AnswerMetadata,
  framing: Framing,
): PacedBody {
  const { answer } = spoken
  const { blocked, usage } = answer
  if (blocked !== undefined) {
    const only = framing.write({ ...blockedAnswer(blocked, usage.prompt), ...imprint }, true)
    return { pieces: [{ text: only + framing.end, atMs: 0 }] }
  }
  let isFirst = true
  let left = answer.candidates.length
  const textual = answer.candidates.map((_, index) => once(() => textChunks(index, answer, framing)))
  return streamOf(spoken, pace, {
    frame: framing.frame(imprint),
    opening: [],
    write: (utterance) => {
      // Arguments can't come in pieces here: a call is written when it is whole.
      if (utterance.kind === 'call' && !utterance.whole) return []
      if (utterance.last) left--
      else if (utterance.kind === 'text' && utterance.text !== '' && !isFirst) {
        return [textual[utterance.candidate]!()(utterance.text)]
      }
      const event = framing.open(chunkOf(utterance, left === 0, answer), isFirst)
      isFirst = false
      return [event]
    },
    closing: [],
    end: framing.end,
    error: (status, message) => ({
      text: framing.write(errorEvent(status, message), isFirst),
      breaksOff: true,
    }),
  })
}

/** Writes chunks that add no more than a text to a candidate, behind others: all of them are the same but for that. */
function textChunks(index: number, answer: TextAnswer, framing: Framing): (text: string) => string {
  const nothing: TextDelta = { kind: 'text', text: ' ', candidate: index, atMs: 0, last: false }
  const [before, after] = framing.open(chunkOf(nothing, false, answer), false).split('" "')
  return (text) => before + JSON.stringify(text) + after
}

/** Early chunks can't know how much will have been said; the last does. */
function chunkOf(
  utterance: TextDelta,
  isEnd: boolean,
  { candidates, usage }: TextAnswer,
): Record<string, unknown> {
  const { candidate: index, last } = utterance
  const { total } = usage.prompt
  const ends = last ? endOf(candidates[index]!, index) : { index }
  return {
    candidates: [{ content: contentOf(partsOf(utterance)), ...ends }],
    usageMetadata: isEnd ? usageOf(usage) : { promptTokenCount: total, totalTokenCount: total },
  }
}

function partsOf(utterance: TextDelta): unknown[] {
  if (utterance.kind === 'call') return [callPart(utterance.call)]
  if (utterance.kind === 'thought') return [{ text: utterance.text, thought: true }]
  return utterance.text === '' ? [] : [{ text: utterance.text }]
}
