import type { TextEnd } from './end.ts'

export const emptyText: TextEnd = {
  name: 'empty text',
  description: 'The text ends as usual, and is empty.',
  expected: 'either',
  rank: 5,
  answer: { text: '' },
}
