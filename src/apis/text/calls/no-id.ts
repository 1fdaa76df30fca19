import { defineCallDialect } from './dialect.ts'

export const noId = defineCallDialect({
  name: 'no-id',
  title: 'calls without id',
  description: 'calls have no id',
  advice: 'Give a call without an id one of your own, and send it back with the call and its result.',
  isUnread: true,
  write: (part) => ({ ...part, id: undefined }),
})
