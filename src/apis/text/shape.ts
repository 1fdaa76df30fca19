import type { Context } from '../../gateway/route.ts'
import { drawFor, type Draw } from '../../scenario/faults/fault.ts'
import type { StreamShape } from '../../scenario/rules/rule.ts'
import type { ChunkedPace, TextAnswer, TextTiming } from '../../text/spec.ts'

/** How a rule wants a text to come, with whom its dice concern. */
export interface AskedShape {
  readonly shape: StreamShape
  readonly rule: string
  readonly draw: Draw
}

/** What the rules want of a text; undefined where they want nothing. */
export function askedShape({ decision, draws, request, attempt }: Context): AskedShape | undefined {
  const { stream: shape, rules } = decision
  if (!shape) return undefined
  return { shape, rule: rules.join('+'), draw: drawFor(draws, rules, request.identity, attempt) }
}

/** The usual pace with what a rule says instead: of the wait before the first token, and of the speed after it. */
export function shapedPace(
  pace: TextTiming,
  { firstToken, gap, tokensPerSecond, chunk }: StreamShape,
): ChunkedPace {
  const { firstToken: defaultFirst, ...defaultSpeed } = pace
  const first = firstToken ?? defaultFirst
  const isFaster = gap !== undefined || tokensPerSecond !== undefined
  const speed = {
    ...(gap === undefined ? {} : { jitter: gap }),
    ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
  }
  return {
    ...(isFaster ? speed : defaultSpeed),
    ...(first === undefined ? {} : { firstToken: first }),
    ...(chunk === undefined ? {} : { chunk }),
  }
}

/** The answer with the reason for its end that a rule gives. */
export function endingAs(answer: TextAnswer, finishReason: string | undefined): TextAnswer {
  if (finishReason === undefined) return answer
  const candidates = answer.candidates.map((candidate) => ({ ...candidate, finishAs: finishReason }))
  return { ...answer, candidates }
}
