import { firstAnswer, type EventData, type ObservedEvent } from '../define/flow.ts'

interface Choice {
  readonly delta?: { readonly content?: unknown }
  readonly finish_reason?: unknown
}

/** Reads a chunk of a recorded chat. */
export function readChunk({ choices }: EventData): ObservedEvent {
  const { delta, finish_reason: finishReason } = firstAnswer<Choice>(choices)
  return { text: delta?.content, finishReason }
}
