import { defineCallDialect } from './dialect.ts'

export const noIndex = defineCallDialect({
  name: 'no-index',
  title: 'calls without index',
  description: 'calls have no index',
  advice: 'A piece without an index belongs to the call with its id, and one without an id to the last call.',
  isUnread: true,
  write: (part) => ({ ...part, index: undefined }),
})
