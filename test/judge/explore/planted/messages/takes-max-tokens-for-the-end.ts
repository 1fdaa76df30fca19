import { careful, type Received } from '../messages.ts'

/** A message that was cut at the limit of tokens is a message. */
export const habits = {
  ...careful,
  finish: (received: Received) =>
    careful.finish(received.stopReason === 'max_tokens' ? { ...received, stopReason: 'end_turn' } : received),
}
