import { defineCallDialect } from './dialect.ts'

export const indexZero = defineCallDialect({
  name: 'index-0',
  title: 'calls of index 0',
  description: 'the index of every call is 0',
  advice: 'A new id begins a new call, also with an index that is in use.',
  isUnread: true,
  write: (part) => ({ ...part, index: 0 }),
})
