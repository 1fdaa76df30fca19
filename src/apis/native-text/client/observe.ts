import { firstAnswer, type EventData, type ObservedEvent } from '../../define/flow.ts'

interface Candidate {
  readonly content?: { readonly parts?: readonly { readonly text?: unknown; readonly thought?: unknown }[] }
  readonly finishReason?: unknown
}

/** Reads a response of a recorded stream, without thoughts. */
export function readResponse({ candidates }: EventData): ObservedEvent {
  const { content, finishReason } = firstAnswer<Candidate>(candidates)
  const texts = (content?.parts ?? []).map(({ text, thought }) => (thought === true ? '' : text))
  return { text: texts.filter((text) => typeof text === 'string').join(''), finishReason }
}
