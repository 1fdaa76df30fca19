import { writeEvent, defineEventDialect } from './dialect.ts'

export const comments = defineEventDialect({
  name: 'comments',
  title: 'commented events',
  description: 'comments come between the events',
  advice: 'Lines of a stream that begin with a colon are comments: skip them.',
  write: (event, { index }) => (index % 3 === 0 ? ': still working\n\n' : '') + writeEvent(event),
})
