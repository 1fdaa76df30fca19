import { writeEvent, defineEventDialect, streamingApis } from './dialect.ts'

export const noSpace = defineEventDialect({
  name: 'no-space',
  title: 'dense events',
  description: 'no space follows `data:`',
  advice: 'The space after `data:` is optional: remove one if it is there.',
  unreadBy: streamingApis,
  write: (event) => writeEvent(event.map((line) => line.replace(/^(\w+): /, '$1:'))),
})
