import type { PacedBody } from '../../gateway/reply.ts'
import type { TextAnswer } from '../../text/spec.ts'
import type { Spoken } from '../text/speak.ts'
import { streamOf } from '../text/stream.ts'
import type { Utterance } from '../text/utterance.ts'
import { blockedAnswer, callPart, contentOf, endOf, usageOf, type Imprint } from './answer.ts'
import type { Framing } from './framing.ts'
import { errorEvent } from './refuse.ts'

/**
 * An answer as the chunks of a stream: each holds what is new, the last of a candidate how it ends. Nothing tells
 * that the stream is over but its end.
 *
 * @assumed §4.8 the shape of the chunks is not shown; wire §8.4.
 */
export function nativeStream(
  { answer, trouble, asked }: Spoken,
  utterances: readonly Utterance[],
  imprint: Imprint,
  framing: Framing,
): PacedBody {
  const { blocked, usage } = answer
  if (blocked !== undefined) {
    const only = framing.write(blockedAnswer(blocked, usage.prompt, imprint), true)
    return { pieces: [{ text: only + framing.closing, atMs: 0 }] }
  }
  let isFirst = true
  const write = (value: unknown): string => {
    const text = framing.write(value, isFirst)
    isFirst = false
    return text
  }
  const end = utterances.at(-1)
  const dialect = {
    opening: '',
    write: (utterance: Utterance) => {
      // Arguments can't come in pieces here: a call is written when it is whole.
      if (utterance.kind === 'call' && !utterance.whole) return ''
      return write(chunkOf(utterance, utterance === end, answer, imprint))
    },
    closing: framing.closing,
    error: (status: number, message: string) => ({
      text: write(errorEvent(status, message)),
      breaksOff: true,
    }),
  }
  return streamOf(utterances, dialect, trouble, asked)
}

/** Early chunks can't know how much will have been said; the last does. */
function chunkOf(
  utterance: Utterance,
  isEnd: boolean,
  { candidates, usage }: TextAnswer,
  imprint: Imprint,
): Record<string, unknown> {
  const { candidate: index, last } = utterance
  const { total } = usage.prompt
  const ends = last ? endOf(candidates[index]!, index) : { index }
  return {
    candidates: [{ content: contentOf(partsOf(utterance)), ...ends }],
    usageMetadata: isEnd ? usageOf(usage) : { promptTokenCount: total, totalTokenCount: total },
    ...imprint,
  }
}

function partsOf(utterance: Utterance): unknown[] {
  if (utterance.kind === 'call') return [callPart(utterance.call)]
  if (utterance.kind === 'thought') return [{ text: utterance.text, thought: true }]
  return utterance.text === '' ? [] : [{ text: utterance.text }]
}
