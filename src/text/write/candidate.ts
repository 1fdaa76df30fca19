import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Rng } from './rng.ts'
import { limitText } from '../limits.ts'
import { maxMagicTokens, type TextMagic } from '../magic.ts'
import { once } from '../once.ts'
import type { PromptValues } from '../prompt-values.ts'
import { type Prose, proseAbout } from './prose.ts'
import type { Reading } from '../reading.ts'
import { compileSchema, writeInstance } from '../json-schema/schema.ts'
import type {
  DeclaredSchema,
  Finish,
  FixedAnswer,
  TextCall,
  TextCandidate,
  TextRequest,
  TokenLogprob,
} from '../spec.ts'
import { countCallTokens, countTokens, tokenize } from '../tokens.ts'
import { chooseTools, maxValuesOf, writeCalls } from '../tool-choice.ts'
import { pendingResults, tellResults } from '../tool-result.ts'
import type { Words } from './words.ts'

/** What could stand anywhere, for alternatives that a short answer doesn't offer itself. */
const everyday =
  ' the, a, of, and, to, in, is, that, it, for, on, with, as, this, are, be, at, by, an, or, from, was, but'.split(
    ',',
  )

/** The units of one probability, from drawing to writing it. */
const logprobWork = 2

/**
 * Log probabilities as a sure model has them: most tokens near 0, a few doubtful, and all alternatives of a token
 * together at most 1.
 *
 * @param top how many alternatives to list, from 0 to 20.
 * @throws {WorkRefused} when the budget runs out.
 */
function drawLogprobs(text: string, top: number, dice: Rng, work: WorkBudget): TokenLogprob[] {
  const tokens = tokenize(text)
  work.spend(tokens.length * (top + 2) * logprobWork, 'its log probabilities')
  const others = [...new Set([...tokens.slice(0, 100), ...everyday])]
  return tokens.map((token, index) => {
    const draw = dice.unit(`logprob/${index}`)
    const probability = 1 - 0.45 * draw ** 4 - 1e-4
    const listed = [{ token, logprob: logarithm(probability) }]
    let left = 1 - probability
    // The first place to look is drawn; then on from there, so that one token has each alternative once.
    const start = Math.floor(draw * 1e6) % others.length
    for (let at = 0; listed.length < top; at++) {
      const other = others[(start + at) % others.length]!
      if (other === token) continue
      left /= 2
      listed.push({ token: other, logprob: logarithm(left) })
    }
    return { token, logprob: listed[0]!.logprob, top: listed.slice(0, top) }
  })
}

function logarithm(probability: number): number {
  return Math.min(0, Number(Math.log(probability).toFixed(6)))
}

/** Everything that one answer is written from. */
export interface CandidateWriting {
  request: TextRequest
  magic: TextMagic
  reading: () => Reading
  values: () => PromptValues
  fixed: FixedAnswer | undefined
  dice: Rng
  words: Words
  isEcho: boolean
  /** What the answer may cost. */
  work: WorkBudget
}

/** What is said before limits are heeded. */
interface Draft {
  text: string
  calls: readonly TextCall[]
  finish?: Finish
  thoughts?: string
}

/** More candidates than this get a sentence each. */
export const fewCandidates = 16
/** How much is thought where the request leaves it open. */
const defaultThoughtTokens = 80
/** A refused answer breaks off after its first words. */
const brokenOffTokens = 6

/** Writes one answer and holds it to the request's limits. */
export function writeCandidate(writing: CandidateWriting): TextCandidate {
  const { request, magic, reading, dice, work } = writing
  const prose = once(() =>
    proseAbout(reading(), dice.of('prose'), writing.words, request.candidates > fewCandidates),
  )
  const draft = draftOf(writing, prose)

  const thought = think(writing, draft, prose)
  const most = Math.min(
    request.maxTokens ?? Infinity,
    magic.tokens === undefined ? Infinity : magic.tokens + thought.tokens,
  )
  const cut = limitText(thought.text, [], most)
  const left = most - cut.tokens
  const shown = thought.isShown && cut.text !== '' ? cut.text : undefined
  const thoughtTokens = cut.tokens

  const callTokens = draft.calls.reduce((sum, call) => sum + countCallTokens(call), 0)
  if (draft.calls.length > 0 && callTokens <= left) {
    const finish = draft.finish ?? magic.stop ?? 'tool_calls'
    return withThoughts(shown, {
      text: '',
      calls: draft.calls,
      finish,
      thoughtTokens,
      answerTokens: callTokens,
    })
  }
  // A call that does not fit the limit is no call.
  const stop = draft.finish === undefined ? magic.stop : draft.finish
  const broken =
    magic.stop === undefined || draft.finish !== undefined ? left : Math.min(left, brokenOffTokens)
  const limited = limitText(draft.text, request.stop, broken)
  const isShort = draft.calls.length > 0 || (limited.isCut && broken === left) || cut.isCut
  const finish = stop !== undefined && stop !== 'stop' ? stop : isShort ? 'length' : 'stop'
  const { text, tokens: answerTokens } = limited
  const written = withThoughts(shown, { text, calls: [], finish, thoughtTokens, answerTokens })
  if (request.logprobs !== undefined) written.logprobs = drawLogprobs(text, request.logprobs, dice, work)
  return written
}

function withThoughts(thoughts: string | undefined, candidate: TextCandidate): TextCandidate {
  if (thoughts !== undefined) candidate.thoughts = thoughts
  return candidate
}

function draftOf(writing: CandidateWriting, proseOf: () => Prose): Draft {
  const { request, magic, reading, values, fixed, dice, words, isEcho, work } = writing
  if (fixed !== undefined) return draftOfFixed(fixed, dice)
  if (magic.say !== undefined) return { text: magic.say, calls: [] }

  const chosen = chooseTools(request, magic.prompt, work)
  const prose = proseOf()
  if (chosen.length > 0) {
    const { parallel } = request.toolChoice
    return {
      text: '',
      calls: writeCalls(request, chosen, { dice, words, prose, values: values(), parallel, work }),
    }
  }
  const { output } = request
  if (output.kind === 'schema' || output.kind === 'enum') {
    const value = instanceOf(output.schema, writing, prose)
    return {
      text: output.kind === 'enum' && typeof value === 'string' ? value : JSON.stringify(value),
      calls: [],
    }
  }
  if (output.kind === 'json') {
    const value = isEcho ? { echo: magic.prompt } : { title: prose.title(), summary: prose.sentence('summary'), keywords: reading().words.slice(0, 5) } // prettier-ignore
    return { text: JSON.stringify(value), calls: [] }
  }
  if (isEcho) return { text: magic.prompt, calls: [] }
  const results = pendingResults(request.turns)
  if (results.length > 0) return { text: tellResults(results, reading().topic, dice.of('result')), calls: [] }
  // Together, many candidates are no longer than two of the longest answers.
  const most = Math.ceil((2 * maxMagicTokens) / request.candidates)
  return { text: prose.answer(magic.tokens === undefined ? 0 : Math.min(magic.tokens, most) + 1), calls: [] }
}

function draftOfFixed({ text, json, calls = [], finish, thoughts }: FixedAnswer, dice: Rng): Draft {
  const said = text ?? (json === undefined ? '' : JSON.stringify(json))
  return {
    text: said,
    calls: calls.map(({ name, args }, index) => ({ name, args, id: callId(dice, index) })),
    ...(finish === undefined ? {} : { finish }),
    ...(thoughts === undefined ? {} : { thoughts }),
  }
}

function callId(dice: Rng, index: number): string {
  return Array.from({ length: 4 }, (_, part) =>
    dice
      .integer(2 ** 32, `fixed/${index}/${part}`)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
}

function instanceOf(
  schema: DeclaredSchema,
  { request, values, dice, words, work }: CandidateWriting,
  prose: Prose,
): unknown {
  return writeInstance(compileSchema(schema, work), {
    dice: dice.of('schema'),
    words,
    ...values(),
    write: (kind, luck) => (kind === 'title' ? prose.title() : prose.sentence(String(luck.unit('sentence')))),
    optional: 'most',
    maxValues: maxValuesOf(request),
    work,
  })
}

interface Thought {
  text: string
  tokens: number
  isShown: boolean
}

function think({ request, magic }: CandidateWriting, draft: Draft, prose: () => Prose): Thought {
  const { budget, include } = request.thinking
  const isAsked = magic.think === true || draft.thoughts !== undefined
  const most = budget === 'auto' || (budget === 0 && isAsked) ? defaultThoughtTokens : budget
  if (most <= 0) return { text: '', tokens: 0, isShown: false }
  const text = limitText(
    draft.thoughts ?? prose().thoughts(most),
    [],
    draft.thoughts === undefined ? most : Infinity,
  ).text
  return { text, tokens: countTokens(text), isShown: include || isAsked }
}
