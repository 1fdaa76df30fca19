import type { JsonObject } from '../../gateway/bodies/json.ts'
import { stopReasons } from '../../text/directives.ts'
import type { TextAnswer, TextCandidate, TextUsage, Turn } from '../../text/spec.ts'
import { logprobsOf, toolCall } from '../text/openai/words.ts'
import type { ResponseForm } from './request.ts'

/** A complete item of a response. */
export type OutputItem =
  | { readonly type: 'reasoning'; readonly id: string; readonly summary: readonly SummaryText[] }
  | {
      readonly type: 'message'
      readonly id: string
      readonly status: string
      readonly role: 'assistant'
      readonly content: readonly (OutputText | RefusalText)[]
    }
  | {
      readonly type: 'function_call'
      readonly id: string
      readonly status: string
      readonly call_id: string
      readonly name: string
      readonly arguments: string
    }

interface SummaryText {
  readonly type: 'summary_text'
  readonly text: string
}

interface OutputText {
  readonly type: 'output_text'
  readonly annotations: readonly unknown[]
  readonly logprobs: readonly unknown[]
  readonly text: string
}

interface RefusalText {
  readonly type: 'refusal'
  readonly refusal: string
}

/** How a response ends. */
interface Ending {
  readonly status: 'completed' | 'incomplete'
  readonly incomplete_details: { readonly reason: string } | null
}

/** The id of an item. It contains the response, so that references to the item can be resolved. */
export function itemId(prefix: string, responseId: string, side: 'in' | 'out', index: number): string {
  return `${prefix}_${responseId.replace('resp_', '')}${side === 'in' ? 'i' : 'o'}${index}`
}

const itemPattern = /^[a-z]+_([0-9a-f]{48})([io])(\d{1,5})$/

/** The response, side and position in an item id; undefined for an id of another form. */
export function readItemId(id: string): { response: string; isInput: boolean; index: number } | undefined {
  const [whole, response, side, index] = itemPattern.exec(id) ?? []
  return whole === undefined
    ? undefined
    : { response: `resp_${response}`, isInput: side === 'i', index: Number(index) }
}

/** The items of an answer: its thoughts, its text, its calls. */
export function outputOf(
  candidate: TextCandidate | undefined,
  responseId: string,
  { hasSummary, isEncrypted }: Pick<ResponseForm, 'hasSummary' | 'isEncrypted'>,
): OutputItem[] {
  if (!candidate) return []
  const { thoughts, text, calls, isRefusal, logprobs } = candidate
  const { status } = endingOf(candidate)
  const items: OutputItem[] = []
  const idFor = (prefix: string): string => itemId(prefix, responseId, 'out', items.length)
  if (thoughts !== undefined) {
    items.push({
      id: idFor('rs'),
      type: 'reasoning',
      summary: hasSummary ? [{ type: 'summary_text', text: thoughts }] : [],
      ...(isEncrypted && { encrypted_content: `encrypted:${idFor('rs')}` }),
    })
  }
  if (text !== '' || (calls.length === 0 && thoughts === undefined)) {
    const tokens = logprobs ? logprobsOf(logprobs).content : []
    const part = isRefusal
      ? ({ type: 'refusal', refusal: text } as const)
      : ({ type: 'output_text', annotations: [], logprobs: tokens, text } as const)
    items.push({ id: idFor('msg'), type: 'message', status, content: [part], role: 'assistant' })
  }
  for (const call of calls) {
    const { id, function: called } = toolCall(call)
    const status = call.cut === undefined ? 'completed' : 'incomplete'
    items.push({ id: idFor('fc'), type: 'function_call', status, ...called, call_id: id })
  }
  return items
}

/** The turn that an answer adds to the conversation. */
export function turnOf({ text, calls }: TextCandidate): Turn {
  return {
    role: 'assistant',
    parts: [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...calls.map((call) => ({
        type: 'call' as const,
        name: call.name,
        args: call.args,
        id: toolCall(call, '').id,
      })),
    ],
  }
}

/** The common fields of all states of a response. */
interface ResponseHead {
  readonly id: string
  /** In Unix seconds. */
  readonly createdAt: number
  readonly model: string
  readonly settings: JsonObject
}

/** A response that has just begun. */
export function begunResponse({ id, createdAt, model, settings }: ResponseHead): JsonObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    ...settings,
    model,
    output: [],
    usage: null,
  }
}

/** A response at its end. @param completedAt in Unix seconds. */
export function endedResponse(
  head: ResponseHead,
  { candidates, usage }: TextAnswer,
  output: readonly OutputItem[],
  completedAt: number,
  hasUsage: boolean,
): JsonObject {
  const ending = endingOf(candidates[0])
  return {
    ...begunResponse(head),
    ...ending,
    completed_at: ending.status === 'completed' ? completedAt : null,
    output: output as unknown as JsonObject[string],
    usage: hasUsage ? (usageOf(usage) as JsonObject[string]) : null,
  }
}

function usageOf({ prompt, answer, thoughts, total }: TextUsage): JsonObject {
  return {
    input_tokens: prompt.total,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: answer + thoughts,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: total,
  }
}

/** How an answer ends. An unknown reason from a rule is passed on. */
function endingOf(
  { finish, finishAs }: Pick<TextCandidate, 'finish' | 'finishAs'> = { finish: 'stop' },
): Ending {
  const reason = (finishAs ?? finish).toLowerCase()
  if (['stop', 'tool_calls', 'function_call'].includes(reason)) {
    return { status: 'completed', incomplete_details: null }
  }
  const isLength = reason === 'length' || reason === 'max_tokens'
  const isFiltered = (stopReasons as readonly string[]).includes(reason)
  const known = isLength ? 'max_output_tokens' : isFiltered ? 'content_filter' : reason
  return { status: 'incomplete', incomplete_details: { reason: known } }
}
