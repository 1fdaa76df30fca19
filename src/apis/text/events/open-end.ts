import { writeEvent, defineEventDialect } from './dialect.ts'

export const openEnd = defineEventDialect({
  name: 'open-end',
  title: 'open-ended events',
  description: 'the last event has no empty line after it',
  advice: 'The end of a stream ends its last event, too: read what is left when the response ends.',
  // By the standard of server-sent events, such an event is dropped, and these APIs end with one that matters.
  isUnread: true,
  write: (event, { isLast }) => (isLast ? `${event.join('\n')}\n` : writeEvent(event)),
})
