import type { Exchange } from '../../gateway/exchange.ts'
import type { PromptTokens, StopReason, TextAnswer, TextCandidate, TextUsage } from '../../text/spec.ts'

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** @assumed §2.7 ratings are undocumented; wire §8.6. */
const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'] as const

/** The fields that all chunks of an answer have in common. */
export interface AnswerMetadata {
  readonly modelVersion: string
  readonly responseId: string
}

/** @assumed §2.7 the id is undocumented; wire §8.3. */
export function metadataOf(model: string, { draws, identity, attempt }: Exchange): AnswerMetadata {
  const responseId = draws.text(idAlphabet, 23, 'text.response', identity, attempt)
  return { modelVersion: model, responseId }
}

/**
 * A whole answer (§2.7), without its metadata.
 * @assumed §2.7 all fields but candidates and the two counts are undocumented; wire §8.3: a blocked prompt is a 200.
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

/** The total is the sum of the others. Thoughts are left out if there are none. */
export function usageOf({ prompt, answer, thoughts, total }: TextUsage): Record<string, number> {
  return {
    promptTokenCount: prompt.total,
    candidatesTokenCount: answer,
    totalTokenCount: total,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
  }
}

/** The tokens of a prompt by modality; that of text is always there. */
export function detailsOf({ text, media }: PromptTokens): { modality: string; tokenCount: number }[] {
  const details = [{ modality: 'TEXT', tokenCount: text }]
  for (const [medium, tokenCount] of Object.entries(media)) {
    details.push({ modality: medium.toUpperCase(), tokenCount })
  }
  return details
}

/** Without parts, the field is left out (wire §8.3). */
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

/** Reasons of chat completions are translated, others are passed on. */
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

/** An answer that is blocked for safety names one category as the cause. */
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
