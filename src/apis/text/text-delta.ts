import type {
  ChunkedPace,
  TextAnswer,
  TextCall,
  TextCandidate,
  TextChance,
  TextTiming,
} from '../../text/spec.ts'
import { shapedPace } from './shape.ts'
import type { BilledAnswer } from './generate-answer.ts'
import { paceText } from '../../text/pace.ts'

/** A little of an answer, as it comes in a stream. */
export type TextDelta = Piece & {
  /** Which candidate says it. */
  readonly candidate: number
  /** When, counted from the beginning of the answer. */
  readonly atMs: number
  /** Whether it is this candidate's last. */
  readonly last: boolean
}

type Piece =
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call'
      /** A piece of the arguments as JSON. */
      readonly text: string
      readonly call: TextCall
      /** The place of the call among the candidate's. */
      readonly place: number
      /** Whether it is the first piece of the arguments, and whether it is the last. */
      readonly first: boolean
      readonly whole: boolean
    }

/**
 * An answer laid out in time: each candidate thinks, then speaks, then calls its tools; all of them at once.
 * Thoughts, texts and arguments come at the same pace.
 *
 * @param rule the id of the rule that set the pace, where one did: its dice are its own.
 */
export function utterancesOf(
  { candidates }: TextAnswer,
  pace: ChunkedPace,
  chance: TextChance,
  rule?: string,
): TextDelta[] {
  const whose = rule === undefined ? '' : `${rule}/`
  const tracks = candidates.map((candidate, index) => trackOf(candidate, index, pace, chance, whose))
  const [only] = tracks
  if (only && tracks.length === 1) return only
  return tracks.flat().toSorted((one, other) => one.atMs - other.atMs)
}

/** An answer laid out in time as its rules want it, or at the usual pace. */
export function spokenUtterances(
  { answer, chance, asked }: Pick<BilledAnswer, 'answer' | 'chance' | 'asked'>,
  pace: TextTiming,
): TextDelta[] {
  if (!asked) return utterancesOf(answer, pace, chance)
  return utterancesOf(answer, shapedPace(pace, asked.shape), chance, asked.rule)
}

/** Whether nothing of an answer waits. */
export function isInstant({ firstToken, tokensPerSecond, jitter }: TextTiming): boolean {
  return firstToken === undefined && tokensPerSecond === undefined && jitter === undefined
}

/** How long an answer takes that isn't streamed: until its last token. */
export function wholeAnswerMs(answer: TextAnswer, pace: TextTiming, chance: TextChance): number {
  return isInstant(pace) ? 0 : (utterancesOf(answer, pace, chance).at(-1)?.atMs ?? 0)
}

/** Makes an utterance of a piece: when it comes, and whether it is the first or the last of what is said so. */
type Utter = (text: string, atMs: number, first: boolean, whole: boolean) => TextDelta

function trackOf(
  { thoughts = '', text, calls }: TextCandidate,
  candidate: number,
  pace: ChunkedPace,
  chance: TextChance,
  whose: string,
): TextDelta[] {
  const track: TextDelta[] = []
  const say = (said: string, place: number, utter: Utter) => {
    const begins = track.at(-1)?.atMs ?? 0
    // Only the very first token is waited for; after that it goes on at its speed.
    const { firstToken: _first, ...onwards } = pace
    const chunks = paceText(
      said,
      track.length === 0 ? pace : onwards,
      chance,
      `${whose}${candidate}/${place}`,
    )
    const end = chunks.length - 1
    for (let at = 0; at <= end; at++) {
      const chunk = chunks[at]!
      track.push(utter(chunk.text, begins + chunk.atMs, at === 0, at === end))
    }
  }
  if (thoughts !== '')
    say(thoughts, 0, (each, atMs) => ({ kind: 'thought', text: each, candidate, atMs, last: false }))
  if (text !== '') say(text, 1, (each, atMs) => ({ kind: 'text', text: each, candidate, atMs, last: false }))
  for (const [place, call] of calls.entries()) {
    say(JSON.stringify(call.args), 2 + place, (each, atMs, first, whole) => {
      return { kind: 'call', text: each, call, place, first, whole, candidate, atMs, last: false }
    })
  }
  const last = track.pop() ?? { kind: 'text', text: '', candidate, atMs: 0 }
  track.push({ ...last, last: true })
  return track
}
