import type { Quirks } from '../../scenario/vocabulary/types.ts'
import type { PacedBody } from '../../gateway/replies/reply.ts'
import type { TextAnswer, TextCandidate, TextTiming } from '../../text/spec.ts'
import type { BilledAnswer } from '../text/answer.ts'
import { encodeTexts, streamHeaders, streamOf } from '../text/stream.ts'
import type { TextDelta } from '../text/delta.ts'
import { blockedAnswer, nativeAnswer, callPart, candidateOf, usageOf, type NativeMetadata } from './answer.ts'
import type { PaintedPart } from './images.ts'
import { errorEvent, isEventStream } from '../text/native/refuse.ts'

/**
 * An answer as the chunks of a stream. Each chunk has new content, and the last chunk of a candidate has its finish reason.
 * Only the end of the response marks the end of the stream.
 *
 * @assumed §4.8 the form of the chunks is undocumented; wire §8.4.
 */
export function nativeStream(
  billed: BilledAnswer,
  pace: TextTiming,
  metadata: NativeMetadata,
  format: NativeFormat,
  painted?: PaintedPart,
): PacedBody {
  const { answer } = billed
  const { blocked, candidates, usage } = answer
  if (blocked !== undefined) {
    const only = format.write(blockedAnswer(blocked, usage.prompt, metadata), true)
    return { pieces: [{ text: only + format.end, atMs: 0, isFinal: true }] }
  }
  if (candidates.length === 0) {
    const only = format.write(nativeAnswer(answer, metadata), true)
    return { pieces: [{ text: only + format.end, atMs: 0, isFinal: true }] }
  }
  let isFirst = true
  let unfinished = candidates.length
  const chunk = (delta: TextDelta): string => {
    if (!painted || !delta.last)
      return format.write(chunkOf(delta, unfinished === 0, answer, metadata), isFirst)
    const { candidate: index } = delta
    // The image comes between the text and the end of its candidate.
    const events = [...(delta.text === '' ? [] : partsOf(delta)), painted.part].map((part, at) =>
      format.write(chunkOfParts([part], index, false, undefined, answer, metadata), isFirst && at === 0),
    )
    const ended = chunkOfParts([], index, unfinished === 0, candidates[index], answer, metadata, painted)
    return events.join('') + format.write(ended, false)
  }
  const texts = candidates.map((_, candidate) =>
    encodeTexts((text) => {
      const delta: TextDelta = { kind: 'text', text, candidate, atMs: 0, last: false }
      return format.write(chunkOf(delta, false, answer, metadata), false)
    }),
  )
  return streamOf(billed, pace, {
    opening: '',
    write: (delta) => {
      // Arguments can't be split here, so a call is written when it is complete.
      if (delta.kind === 'call' && !delta.isLastOfCall) return ''
      if (delta.last) unfinished--
      else if (delta.kind === 'text' && !isFirst) return texts[delta.candidate]!(delta.text)
      const event = chunk(delta)
      isFirst = false
      return event
    },
    closing: () => '',
    end: format.end,
    // An array is complete when its bracket is closed.
    final: format.end === '' ? 'delta' : 'closing',
    error: (status, message) => ({
      text: format.write(errorEvent(status, message), isFirst),
      breaksOff: true,
    }),
  })
}

/** A chunk. Early chunks can't contain the usage of the whole answer; the last one does. */
function chunkOf(delta: TextDelta, isEnd: boolean, answer: TextAnswer, metadata: NativeMetadata): unknown {
  const { candidate: index, last } = delta
  const ended = last ? answer.candidates[index] : undefined
  return chunkOfParts(partsOf(delta), index, isEnd, ended, answer, metadata)
}

/** @param ended the candidate that ends with these parts, if it does; `isEnd` whether the answer does. */
function chunkOfParts(
  parts: readonly unknown[],
  index: number,
  isEnd: boolean,
  ended: TextCandidate | undefined,
  { usage }: TextAnswer,
  { modelVersion, responseId, hasUsage }: NativeMetadata,
  painted?: PaintedPart,
): unknown {
  const { total } = usage.prompt
  return {
    candidates: [candidateOf(parts, index, ended)],
    usageMetadata: !hasUsage
      ? undefined
      : isEnd
        ? usageOf(usage, undefined, painted)
        : { promptTokenCount: total, totalTokenCount: total },
    modelVersion,
    responseId,
  }
}

function partsOf(delta: TextDelta): unknown[] {
  if (delta.kind === 'call') return delta.call.cut === undefined ? [callPart(delta.call)] : []
  if (delta.kind === 'thought') return [{ text: delta.text, thought: true }]
  return delta.text === '' ? [] : [{ text: delta.text }]
}

/** The framing of the objects in a stream. */
interface NativeFormat {
  readonly headers: Readonly<Record<string, string>>
  readonly write: (value: unknown, isFirst: boolean) => string
  readonly end: string
}

/**
 * The format of a stream: events, or an array if the request and the quirk say so.
 * @assumed §4.8 the framing is undocumented; wire §8.4, to the byte.
 */
export function formatOf(quirks: Quirks, query: string): NativeFormat {
  if (quirks.nativeStreamWithoutAlt === 'json-array' && !isEventStream(query)) return arrayFormat
  return quirks.sseNewline === 'lf' ? eventFormat : attachedFormat
}

const arrayFormat: NativeFormat = {
  headers: { ...streamHeaders, 'Content-Type': 'application/json; charset=UTF-8' },
  write: (value, isFirst) => `${isFirst ? '[' : '\n,\r\n'}${JSON.stringify(value, null, 2)}`,
  end: '\n]',
}

const eventFormat: NativeFormat = {
  headers: streamHeaders,
  write: (value) => `data: ${spacedJson(value)}\n\n`,
  end: '',
}

/** The vendor's own service ends lines in CRLF, and sends this header, too. */
const attachedFormat: NativeFormat = {
  ...eventFormat,
  headers: { ...streamHeaders, 'Content-Disposition': 'attachment' },
}

/** JSON on one line as the vendor writes it: a space after each colon, none after commas. */
function spacedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(',')}]`
  const fields = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}: ${spacedJson(item)}`).join(',')}}`
}
