import type { Exchange } from '../../gateway/exchange.ts'
import type {
  PromptTokens,
  StopReason,
  TextAnswer,
  TextCandidate,
  TextUsage,
  TokenLogprob,
} from '../../text/spec.ts'
import { tokensOfNativeImage } from '../painting/painting.ts'
import type { PaintedPart } from './images.ts'

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** @assumed §2.7 ratings are undocumented; wire §8.6. */
const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'] as const

/** The fields that all chunks of an answer share. */
export interface NativeMetadata {
  readonly modelVersion: string
  readonly responseId: string
  /** Whether the answer says how many tokens it took. */
  readonly hasUsage: boolean
}

/** @assumed §2.7 the id is undocumented; wire §8.3. */
export function metadataOf(model: string, { draws, identity, attempt, core }: Exchange): NativeMetadata {
  const responseId = draws.text(idAlphabet, 23, 'text.response', identity, attempt)
  return { modelVersion: model, responseId, hasUsage: core.quirks.usageByDefault !== 'never' }
}

/**
 * A complete answer (§2.7). Undefined fields are not in the JSON.
 * @assumed §2.7 all fields but candidates and the two counts are undocumented; wire §8.3: a blocked prompt is a 200.
 */
export function nativeAnswer(
  { blocked, candidates, usage }: TextAnswer,
  metadata: NativeMetadata,
  painted?: PaintedPart,
): unknown {
  if (blocked !== undefined) return blockedAnswer(blocked, usage.prompt, metadata)
  const { modelVersion, responseId, hasUsage } = metadata
  return {
    candidates:
      candidates.length === 0
        ? undefined
        : candidates.map((candidate, index) => {
            const parts = [...partsOf(candidate), ...(painted ? [painted.part] : [])]
            const written = candidateOf(parts, index, candidate)
            return candidate.logprobs ? { ...written, ...logprobsOf(candidate.logprobs) } : written
          }),
    usageMetadata: hasUsage ? usageOf(usage, detailsOf(usage.prompt), painted) : undefined,
    modelVersion,
    responseId,
  }
}

/** The answer to a refused prompt, without candidates. */
export function blockedAnswer(
  reason: StopReason,
  prompt: PromptTokens,
  { hasUsage, modelVersion, responseId }: NativeMetadata,
): unknown {
  const { total } = prompt
  const usage = { promptTokenCount: total, totalTokenCount: total, promptTokensDetails: detailsOf(prompt) }
  return {
    promptFeedback: { blockReason: reason.toUpperCase(), safetyRatings: ratings(reason) },
    usageMetadata: hasUsage ? usage : undefined,
    modelVersion,
    responseId,
  }
}

/** The total is the sum of the others. Thoughts are left out if there are none, and details of the answer without an image. */
export function usageOf(
  { prompt, answer, thoughts, total }: TextUsage,
  details?: unknown,
  painted?: PaintedPart,
): unknown {
  const image = painted ? tokensOfNativeImage : 0
  return {
    promptTokenCount: prompt.total,
    candidatesTokenCount: answer + image,
    totalTokenCount: total + image,
    thoughtsTokenCount: thoughts > 0 ? thoughts : undefined,
    promptTokensDetails: details,
    candidatesTokensDetails: painted && [
      ...(answer > 0 ? [{ modality: 'TEXT', tokenCount: answer }] : []),
      { modality: 'IMAGE', tokenCount: image },
    ],
  }
}

/** The tokens of a prompt by modality; the entry for text is always present. */
export function detailsOf({ text, media }: PromptTokens): { modality: string; tokenCount: number }[] {
  const details = [{ modality: 'TEXT', tokenCount: text }]
  for (const [medium, tokenCount] of Object.entries(media)) {
    details.push({ modality: medium.toUpperCase(), tokenCount })
  }
  return details
}

/** A call, with the vendor's short id. */
export function callPart({ name, args, id }: TextCandidate['calls'][number]): unknown {
  return { functionCall: { name, args, id: id.slice(0, 8) } }
}

/**
 * A candidate, or a chunk of it. Without parts, the field is omitted (wire §8.3).
 * @param ended the candidate, if it ends with these parts.
 */
export function candidateOf(parts: readonly unknown[], index: number, ended?: TextCandidate): object {
  const reason = ended && reasonOf(ended.finishAs ?? ended.finish)
  const isFlagged = reason !== undefined && reason !== 'STOP' && reason !== 'MAX_TOKENS'
  const hasCalls = ended?.calls.some(({ cut }) => cut === undefined)
  return {
    content: { parts: parts.length > 0 ? parts : undefined, role: 'model' },
    finishReason: reason,
    finishMessage: hasCalls ? 'Model generated function call(s).' : undefined,
    index,
    safetyRatings: isFlagged ? ratings(reason) : undefined,
  }
}

/** Translates reasons of chat completions. Others are passed on. */
function reasonOf(finish: string): string {
  const word = finish.toLowerCase()
  if (word === 'length') return 'MAX_TOKENS'
  if (word === 'tool_calls') return 'STOP'
  return word === 'content_filter' ? 'SAFETY' : finish.toUpperCase()
}

function partsOf({ thoughts = '', text, calls }: TextCandidate): unknown[] {
  // A call that was cut is not sent.
  const parts: unknown[] = calls.filter(({ cut }) => cut === undefined).map(callPart)
  if (text !== '') parts.unshift({ text })
  if (thoughts !== '') parts.unshift({ text: thoughts, thought: true })
  return parts
}

/** The ratings of an answer. One that is blocked for safety names one category as the cause. */
function ratings(reason: string): unknown[] {
  const isSafety = reason.toUpperCase() === 'SAFETY'
  return categories.map((category, index) =>
    isSafety && index === categories.length - 1
      ? { category: `HARM_CATEGORY_${category}`, probability: 'HIGH', blocked: true }
      : { category: `HARM_CATEGORY_${category}`, probability: 'NEGLIGIBLE' },
  )
}

function logprobsOf(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
  const sum = logprobs.reduce((total, { logprob }) => total + logprob, 0)
  const toCandidate = ({ token, logprob }: { token: string; logprob: number }): unknown => ({
    token,
    logProbability: logprob,
  })
  return {
    avgLogprobs: logprobs.length === 0 ? 0 : sum / logprobs.length,
    logprobsResult: {
      topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(toCandidate) })),
      chosenCandidates: logprobs.map(toCandidate),
    },
  }
}
