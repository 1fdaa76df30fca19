import { writeEvent, defineEventDialect } from './dialect.ts'

export const noSpace = defineEventDialect({
  name: 'no-space',
  title: 'dense events',
  description: 'no space follows `data:`',
  advice: 'The space after `data:` is optional: remove one if it is there.',
  isUnread: true,
  write: (event) => writeEvent(event.map((line) => line.replace(/^(\w+): /, '$1:'))),
})
