import type { EventData, ObservedEvent } from '../define/flow.ts'

/** Reads an event of a recorded stream, without thoughts and tool calls. */
export function readMessageEvent({ type, delta }: EventData): ObservedEvent {
  const { text, stop_reason: reason } = (delta ?? {}) as Readonly<Record<string, unknown>>
  if (type === 'message_delta') return { finishReason: reason === 'end_turn' ? 'stop' : reason }
  return type === 'content_block_delta' ? { text } : {}
}
