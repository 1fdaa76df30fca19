import type { Exchange } from '../../gateway/exchange.ts'
import { stopReasons } from '../../text/directives.ts'
import type { TextAnswer, TextCall, TextCandidate, TextUsage } from '../../text/spec.ts'
import { hash128Hex } from '../../engine/random/hash.ts'

/** The fields that a message has from its beginning. */
export interface MessageMetadata {
  readonly id: string
  readonly model: string
}

/** A block of the content of a message. */
export type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string; readonly citations: readonly unknown[] }
  | {
      readonly type: 'tool_use'
      readonly id: string
      readonly name: string
      readonly input: object
      readonly caller: { readonly type: 'direct' }
    }

const idAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789'

/** @assumed §4.9 ids are undocumented; those of the vendor's examples. */
export function metadataOf(
  model: string,
  { draws, namespace, identity, attempt }: Exchange,
): MessageMetadata {
  const subject = `${namespace.name}/${identity}`
  return { id: `msg_01${draws.text(idAlphabet, 22, 'message', subject, attempt)}`, model }
}

/**
 * The blocks of an answer: what it thought, its text, its uses of tools.
 * @assumed §4.9 the blocks are undocumented; those of the vendor's SDK. Citations are a list, since its types want the
 * field, and `@ai-sdk/anthropic` takes no null.
 */
export function blocksOf(candidate: TextCandidate | undefined, isThinkingOmitted: boolean): Block[] {
  if (!candidate) return []
  const { thoughts, text, calls } = candidate
  const blocks: Block[] = []
  if (thoughts !== undefined) {
    const thinking = isThinkingOmitted ? '' : thoughts
    blocks.push({ type: 'thinking', thinking, signature: signThinking(thinking) })
  }
  if (text !== '') blocks.push({ type: 'text', text, citations: [] })
  return [...blocks, ...calls.map(toolUse)]
}

function toolUse({ id, name, args, cut }: TextCall): Block {
  return {
    type: 'tool_use',
    id: `toolu_01${id.slice(0, 22)}`,
    name,
    input: cut === undefined ? args : {},
    caller: { type: 'direct' },
  }
}

/**
 * A whole message.
 * @assumed §4.9 the answer to messages is undocumented; the fields are those of `Message` in the vendor's SDK.
 */
export function messageOf(answer: TextAnswer, metadata: MessageMetadata, content: readonly Block[]): object {
  return { ...begunMessage(metadata, answer.usage), content, ...endingOf(answer) }
}

/** A message before its first block. */
export function begunMessage({ id, model }: MessageMetadata, usage: TextUsage): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: usageOf(usage),
  }
}

/** How a message ends. */
interface Ending {
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly stop_details: object | null
}

/** @assumed §4.9 a blocked prompt is undocumented; the vendor answers with the stop reason `refusal`. */
export function endingOf({ blocked, candidates }: TextAnswer): Ending {
  const [candidate] = candidates
  const { finish = 'stop', finishAs, stopSequence = null, isRefusal } = candidate ?? {}
  const reason = (finishAs ?? blocked ?? (isRefusal ? 'content_filter' : finish)).toLowerCase()
  const isStopped = stopSequence !== null && finishAs === undefined
  const known = isStopped ? 'stop_sequence' : translateReason(reason)
  return {
    stop_reason: known,
    stop_sequence: isStopped ? stopSequence : null,
    stop_details:
      known === 'refusal' ? { type: 'refusal', category: null, explanation: `Refused for ${reason}.` } : null,
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
  ...stopReasons.map((reason) => [reason, 'refusal'] as const),
])

/** Reasons of other APIs are translated, others are passed on. */
function translateReason(reason: string): string {
  return reasons.get(reason) ?? reason
}

/** Nothing is cached, so the counts of the cache are 0. */
function usageOf(usage: TextUsage): object {
  // With a spread, V8 would create hidden classes for each message.
  return Object.assign(deltaUsageOf(usage), {
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    service_tier: 'standard',
    speed: null,
  })
}

/** The usage at the end of a stream, which has less. */
export function deltaUsageOf({ prompt, answer, thoughts }: TextUsage): object {
  return {
    input_tokens: prompt.total,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: answer + thoughts,
    output_tokens_details: { thinking_tokens: thoughts },
    server_tool_use: null,
  }
}

const prefix = 'greenroom/'

/**
 * The signature of a text of thoughts, by which a change of it is found.
 * @assumed §4.9 signatures are opaque in the vendor's SDK; any text will do.
 */
function signThinking(thinking: string): string {
  return prefix + hash128Hex(thinking)
}

/** Whether thoughts are as they were signed. Signatures of other services are not checked. */
export function checkSignature(thinking: string, signature: string): boolean {
  return !signature.startsWith(prefix) || signature === signThinking(thinking)
}
