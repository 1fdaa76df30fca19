import type { Context } from '../../gateway/route.ts'
import type { PromptTokens, StopReason, TextAnswer, TextCandidate, TextUsage } from '../../text/spec.ts'

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** @assumed §2.7 ratings are not shown; wire §8.6. */
const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'] as const

/** What all chunks of an answer have in common. */
export interface AnswerMetadata {
  readonly modelVersion: string
  readonly responseId: string
}

/** @assumed §2.7 the id is not shown; wire §8.3. */
export function imprintOf(model: string, { draws, request, attempt }: Context): AnswerMetadata {
  const responseId = draws.text(idAlphabet, 23, 'text.response', request.identity, attempt)
  return { modelVersion: model, responseId }
}

/**
 * A whole answer (§2.7), but for its imprint.
 * @assumed §2.7 all fields but candidates and the two counts are not shown; wire §8.3: a blocked prompt is a 200.
 */
export function nativeAnswer(answer: TextAnswer): Record<string, unknown> {
  const { blocked, candidates, usage } = answer
  if (blocked !== undefined) return blockedAnswer(blocked, usage.prompt)
  return {
    candidates: candidates.map((candidate, index) => ({
      content: contentOf(partsOf(candidate)),
      ...endOf(candidate, index),
      ...logprobsOf(candidate),
    })),
    usageMetadata: { ...usageOf(usage), promptTokensDetails: detailsOf(usage.prompt) },
  }
}

/** A prompt that was refused: no candidates. */
export function blockedAnswer(reason: StopReason, prompt: PromptTokens): Record<string, unknown> {
  const usage = { promptTokenCount: prompt.total, totalTokenCount: prompt.total }
  return {
    promptFeedback: { blockReason: reason.toUpperCase(), safetyRatings: ratings(reason) },
    usageMetadata: { ...usage, promptTokensDetails: detailsOf(prompt) },
  }
}

/** Counts that add up: prompt, answer and thoughts are the total. A count of nothing is left out, but the seed's two. */
export function usageOf({ prompt, answer, thoughts, total }: TextUsage): Record<string, number> {
  return {
    promptTokenCount: prompt.total,
    candidatesTokenCount: answer,
    totalTokenCount: total,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
  }
}

/** The tokens of a prompt by what they are of; those of texts are always named. */
export function detailsOf({ text, media }: PromptTokens): { modality: string; tokenCount: number }[] {
  const details = [{ modality: 'TEXT', tokenCount: text }]
  for (const [medium, tokenCount] of Object.entries(media)) {
    details.push({ modality: medium.toUpperCase(), tokenCount })
  }
  return details
}

/** What a content holds; without parts, none are named (wire §8.3). */
export function contentOf(parts: readonly unknown[]): Record<string, unknown> {
  return parts.length > 0 ? { parts, role: 'model' } : { role: 'model' }
}

/** A call, with the vendor's short id. */
export function callPart({ name, args, id }: TextCandidate['calls'][number]): Record<string, unknown> {
  return { functionCall: { name, args, id: id.slice(0, 8) } }
}

/** How a candidate ends. */
export function endOf({ finish, finishAs, calls }: TextCandidate, index: number): Record<string, unknown> {
  const reason = reasonOf(finishAs ?? finish)
  const isFlagged = reason !== 'STOP' && reason !== 'MAX_TOKENS'
  return {
    finishReason: reason,
    ...(calls.length > 0 ? { finishMessage: 'Model generated function call(s).' } : {}),
    index,
    ...(isFlagged ? { safetyRatings: ratings(reason) } : {}),
  }
}

/** Reasons of the other dialect are understood; others are given as they are. */
function reasonOf(finish: string): string {
  const word = finish.toLowerCase()
  if (word === 'length') return 'MAX_TOKENS'
  if (word === 'tool_calls') return 'STOP'
  return word === 'content_filter' ? 'SAFETY' : finish.toUpperCase()
}

function partsOf({ thoughts = '', text, calls }: TextCandidate): unknown[] {
  return [
    ...(thoughts === '' ? [] : [{ text: thoughts, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(callPart),
  ]
}

/** The first category is the one that was hit, where it was for safety. */
function ratings(reason: string): unknown[] {
  const isSafety = reason.toUpperCase() === 'SAFETY'
  return categories.map((category, index) =>
    isSafety && index === categories.length - 1
      ? { category: `HARM_CATEGORY_${category}`, probability: 'HIGH', blocked: true }
      : { category: `HARM_CATEGORY_${category}`, probability: 'NEGLIGIBLE' },
  )
}

function logprobsOf({ logprobs }: TextCandidate): Record<string, unknown> {
  if (!logprobs) return {}
  const sum = logprobs.reduce((total, { logprob }) => total + logprob, 0)
  const named = ({ token, logprob }: { token: string; logprob: number }): unknown => ({
    token,
    logProbability: logprob,
  })
  return {
    avgLogprobs: logprobs.length === 0 ? 0 : sum / logprobs.length,
    logprobsResult: {
      topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(named) })),
      chosenCandidates: logprobs.map(named),
    },
  }
}
