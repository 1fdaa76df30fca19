import { careful, type MessageEvent, type Received } from '../messages.ts'

/** An event that says that the model is overloaded is skipped, and the end is not checked. */
export const habits = {
  ...careful,
  read: (received: Received, event: MessageEvent) =>
    event.type === 'error' ? received : careful.read(received, event),
  finish: ({ text }: Received) => text,
}
