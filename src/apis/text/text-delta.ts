import type { StreamShape } from '../../scenario/vocabulary/types.ts'
import { argumentsText } from '../../text/tool-calls.ts'
import { paceText } from '../../text/pace.ts'
import type { ChunkedPace, TextCandidate, TextTiming } from '../../text/spec.ts'
import type { BilledAnswer } from './answer.ts'
import type { TextDelta } from './delta.ts'

/**
 * Schedules the pieces of an answer. Each candidate thinks, writes its text, then calls its tools; all candidates do so at
 * the same time. A rule may set the pace, with random draws of its own.
 */
export function layOutDeltas(
  { answer, chance, shape }: Pick<BilledAnswer, 'answer' | 'chance' | 'shape'>,
  pace: TextTiming,
): readonly TextDelta[] {
  const actual = shape ? mergePace(pace, shape.stream) : pace
  const part = shape ? `${shape.rule}/` : ''
  const tracks = answer.candidates.map((candidate, index) =>
    deltasOf(candidate, index, (text, place, isFirst) => {
      // Only the first token has an initial wait.
      const { firstToken: _first, ...speed } = actual
      return paceText(text, isFirst ? actual : speed, chance, `${part}${index}/${place}`)
    }),
  )
  return tracks.length === 1 ? tracks[0]! : tracks.flat().toSorted((one, other) => one.atMs - other.atMs)
}

/** Whether no piece of an answer waits. */
export function isInstant({ firstToken, tokensPerSecond }: TextTiming): boolean {
  return firstToken === undefined && tokensPerSecond === undefined
}

/** The duration of an answer that isn't streamed, up to its last token. */
export function durationOf({ answer, chance }: BilledAnswer, pace: TextTiming): number {
  if (isInstant(pace)) return 0
  return layOutDeltas({ answer, chance, shape: undefined }, pace).at(-1)?.atMs ?? 0
}

type ToDelta = (text: string, atMs: number, isFirst: boolean, isLast: boolean) => TextDelta

function deltasOf(
  { thoughts = '', text, calls }: TextCandidate,
  candidate: number,
  pace: (text: string, place: number, isFirst: boolean) => { text: string; atMs: number }[],
): TextDelta[] {
  const deltas: TextDelta[] = []
  const add = (whole: string, place: number, toDelta: ToDelta): void => {
    const begin = deltas.at(-1)?.atMs ?? 0
    const chunks = pace(whole, place, deltas.length === 0)
    const end = chunks.length - 1
    chunks.forEach(({ text, atMs }, index) =>
      deltas.push(toDelta(text, begin + atMs, index === 0, index === end)),
    )
  }
  // Complete object literals, because spreading would cost more than all the rest: an answer may have a hundred thousand
  // pieces.
  if (thoughts !== '')
    add(thoughts, 0, (each, atMs) => ({ kind: 'thought', text: each, candidate, atMs, last: false }))
  if (text !== '') add(text, 1, (each, atMs) => ({ kind: 'text', text: each, candidate, atMs, last: false }))
  for (const [place, call] of calls.entries()) {
    add(argumentsText(call), 2 + place, (each, atMs, isFirstOfCall, isLastOfCall) => {
      return {
        kind: 'call',
        text: each,
        call,
        place,
        isFirstOfCall,
        isLastOfCall,
        candidate,
        atMs,
        last: false,
      }
    })
  }
  const last = deltas.pop() ?? { kind: 'text', text: '', candidate, atMs: 0 }
  deltas.push({ ...last, last: true })
  return deltas
}

/** The configured pace, overridden by a rule: the wait for the first token, and the speed after it. */
function mergePace(pace: TextTiming, { firstToken, gap, tokensPerSecond, chunk }: StreamShape): ChunkedPace {
  const { firstToken: defaultFirst, ...defaultSpeed } = pace
  const first = firstToken ?? defaultFirst
  const speed = {
    ...(gap === undefined ? {} : { gap }),
    ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
  }
  return {
    ...(gap === undefined && tokensPerSecond === undefined ? defaultSpeed : speed),
    ...(first === undefined ? {} : { firstToken: first }),
    ...(chunk === undefined ? {} : { chunk }),
  }
}
