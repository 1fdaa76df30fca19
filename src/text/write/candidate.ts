import { once } from '../../engine/once.ts'
import { compileSchema } from '../json-schema/schema.ts'
import { maxDirectiveTokens, type DirectedText } from '../directives.ts'
import type { PromptValues } from '../prompt-values.ts'
import type { PromptAnalysis } from '../reading.ts'
import {
  AnswerTooLarge,
  type Finish,
  type FixedAnswer,
  type FixedCall,
  type OutputFormat,
  type TextCall,
  type TextCandidate,
  type TextRequest,
  type TokenLogprob,
} from '../spec.ts'
import { countCallTokens, countTokens, firstTokens, tokenize } from '../tokens.ts'
import { callId, limitCalls, writeCalls, writeValue } from '../tool-calls.ts'
import { chooseAnyTool, chooseTools, repetitionsOf } from '../tool-choice.ts'
import { pendingResults, tellResults } from '../tool-result.ts'
import { multibyteSentence } from './multibyte.ts'
import { proseAbout, type Prose } from './prose.ts'
import type { Rng, Words } from './random.ts'

/** The sources of one answer. */
export interface CandidateWriting {
  request: TextRequest
  directed: DirectedText
  reading: () => PromptAnalysis
  values: () => PromptValues
  fixed: FixedAnswer | undefined
  words: Words
  isEcho: boolean
  isMultibyte: boolean
}

/** An answer before its limits are applied. */
interface Draft {
  text: string
  calls: readonly TextCall[]
  finish?: Finish | undefined
  thoughts?: string | undefined
  isRefusal?: true
}

/** If there are more candidates than this, each has only one sentence. */
export const fewCandidates = 16
/** The number of tokens in the thoughts, if the request leaves it open. */
const defaultThoughtTokens = 80
/** The log probabilities of all candidates together. */
const maxLogprobs = 100_000
/** A refused answer breaks off after this many tokens. */
const brokenOffTokens = 6

/** Writes one answer and applies the request's limits. */
export function writeCandidate(writing: CandidateWriting, rng: Rng): TextCandidate {
  const { request, directed, reading, words } = writing
  const prose = once(() => proseAbout(reading(), rng.of('prose'), words, request.candidates > fewCandidates))
  const draft = writeDraft(writing, rng, prose)

  const thought = think(writing, draft, prose)
  const max = Math.min(
    request.maxTokens ?? Infinity,
    directed.tokens === undefined ? Infinity : directed.tokens + thought.tokens,
  )
  const cut = limitText(thought.text, [], max)
  const left = max - cut.tokens
  const thoughts = thought.isIncluded && cut.text !== '' ? cut.text : undefined
  const thoughtTokens = cut.tokens

  const calls = limitCalls(draft.calls, left, draft.finish === 'length')
  if (calls.length > 0) {
    const isWhole = calls.length === draft.calls.length && calls.at(-1)!.cut === undefined
    const finish = isWhole ? (draft.finish ?? directed.stop ?? 'tool_calls') : 'length'
    const answerTokens = calls.reduce((sum, call) => sum + countCallTokens(call), 0)
    return { thoughts, text: '', calls, finish, thoughtTokens, answerTokens }
  }
  const stop = draft.finish ?? directed.stop
  const isBroken = directed.stop !== undefined && draft.finish === undefined
  const limit = isBroken ? Math.min(left, brokenOffTokens) : left
  const { text, tokens: answerTokens, isCut, stopSequence } = limitText(draft.text, request.stop, limit)
  const isShort = draft.calls.length > 0 || (isCut && limit === left) || cut.isCut
  const finish = stop !== undefined && stop !== 'stop' ? stop : isShort ? 'length' : 'stop'
  const { logprobs } = request
  return {
    thoughts,
    text,
    calls: [],
    ...(draft.isRefusal && { isRefusal: true }),
    finish,
    stopSequence: finish === 'stop' ? stopSequence : undefined,
    thoughtTokens,
    answerTokens,
    logprobs: logprobs === undefined ? undefined : drawLogprobs(text, logprobs, request.candidates, rng),
  }
}

function writeDraft(writing: CandidateWriting, rng: Rng, proseOf: () => Prose): Draft {
  const { request, directed, reading, values, fixed, words, isEcho, isMultibyte } = writing
  const { calls } = fixed ?? {}
  if (fixed !== undefined && calls !== 'always') return draftOf({ ...fixed, calls }, rng)
  const forced = calls === 'always' ? chooseAnyTool(request, directed.prompt) : []
  if (directed.say !== undefined && forced.length === 0) return { text: directed.say, calls: [] }

  const chosen =
    forced.length > 0
      ? forced
      : chooseTools(request, directed.prompt, (tool) => repetitionsOf(tool, values()))
  const prose = proseOf()
  const parts = { words, prose, values: values() }
  if (chosen.length > 0) {
    const { finish, thoughts } = fixed ?? {}
    return { text: '', calls: writeCalls(request, chosen, { rng, ...parts }), finish, thoughts }
  }
  const { output } = request
  if (output.kind === 'schema' || output.kind === 'enum') {
    const schema = compileSchema(output.schema)
    const value = writeValue(request, schema, { rng: rng.of('schema'), ...parts }, 'most')
    return { text: formatValue(value, output), calls: [] }
  }
  if (output.kind === 'json') {
    const value = isEcho ? { echo: directed.prompt } : { title: prose.title(), summary: prose.sentence('summary'), keywords: reading().words.slice(0, 5) } // prettier-ignore
    return { text: JSON.stringify(value), calls: [] }
  }
  if (isEcho) return { text: directed.prompt, calls: [] }
  if (isMultibyte) return { text: multibyteSentence(rng), calls: [] }
  const results = pendingResults(request.turns)
  if (results.length > 0) return { text: tellResults(results, reading().topic, rng.of('result')), calls: [] }
  // Together, many candidates are no longer than two of the longest answers.
  const most = Math.ceil((2 * maxDirectiveTokens) / request.candidates)
  return {
    text: prose.answer(directed.tokens === undefined ? 0 : Math.min(directed.tokens, most) + 1),
    calls: [],
  }
}

function formatValue(value: unknown, output: OutputFormat & { kind: 'schema' | 'enum' }): string {
  if (output.kind === 'enum' && typeof value === 'string') return value
  if (output.kind === 'enum' || output.isFenced !== true) return JSON.stringify(value)
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}

/** A fixed answer with its exact calls. */
type ExactAnswer = Omit<FixedAnswer, 'calls'> & { readonly calls: readonly FixedCall[] | undefined }

function draftOf({ text, refusal, json, calls = [], finish, thoughts }: ExactAnswer, rng: Rng): Draft {
  return {
    text: text ?? refusal ?? (json === undefined ? '' : JSON.stringify(json)),
    ...(refusal !== undefined && { isRefusal: true }),
    calls: calls.map(({ name, args }, index) => ({ name, args, id: callId(rng, `fixed/${index}`) })),
    finish,
    thoughts,
  }
}

interface Thought {
  text: string
  tokens: number
  isIncluded: boolean
}

function think({ request, directed }: CandidateWriting, { thoughts }: Draft, prose: () => Prose): Thought {
  const { budget, include } = request.thinking
  const isRequested = directed.think === true || thoughts !== undefined
  const max = budget === 'auto' || (budget === 0 && isRequested) ? defaultThoughtTokens : budget
  if (max <= 0) return { text: '', tokens: 0, isIncluded: false }
  const { text } = limitText(thoughts ?? prose().thoughts(max), [], thoughts === undefined ? max : Infinity)
  return { text, tokens: countTokens(text), isIncluded: include || isRequested }
}

/** A text after stop sequences and the token limit are applied. */
interface LimitedText {
  text: string
  tokens: number
  isCut: boolean
  /** The stop sequence that ended it. */
  stopSequence: string | undefined
}

/**
 * Truncates a text before the first stop sequence, then after a number of tokens.
 * @param maxTokens `Infinity` for no limit.
 */
function limitText(text: string, stop: readonly string[], maxTokens: number): LimitedText {
  let wholeEnd = text.length
  let stopSequence: string | undefined
  for (const each of stop) {
    const at = each === '' ? -1 : text.indexOf(each)
    if (at >= 0 && at < wholeEnd) [wholeEnd, stopSequence] = [at, each]
  }
  const whole = text.slice(0, wholeEnd)
  const { end, count } = firstTokens(whole, maxTokens)
  const isCut = end < whole.length
  return { text: whole.slice(0, end), tokens: count, isCut, stopSequence: isCut ? undefined : stopSequence }
}

/** Common words, as alternatives if a short answer has too few words. */
const everyday =
  ' the, a, of, and, to, in, is, that, it, for, on, with, as, this, are, be, at, by, an, or, from, was, but'.split(
    ',',
  )

/**
 * Draws the log probabilities of a confident model: most tokens are near 0, a few are doubtful, and the probabilities of
 * all alternatives of a token are at most 1 together.
 *
 * @param top how many alternatives to list, from 0 to 20.
 * @param candidates how many answers share the limit.
 * @throws {AnswerTooLarge} above it.
 */
function drawLogprobs(text: string, top: number, candidates: number, rng: Rng): TokenLogprob[] {
  const tokens = tokenize(text)
  if (tokens.length * (top + 1) * candidates > maxLogprobs)
    throw new AnswerTooLarge('log probabilities', maxLogprobs)
  const others = [...new Set([...tokens.slice(0, 100), ...everyday])]
  return tokens.map((token, index) => {
    const draw = rng.unit(`logprob/${index}`)
    const probability = 1 - 0.45 * draw ** 4 - 1e-4
    const listed = [{ token, logprob: logarithm(probability) }]
    let left = 1 - probability
    // Starts at a drawn index, so that a token has each alternative once.
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
