import type { TextEnd } from './end.ts'

export const emptyText: TextEnd = {
  name: 'empty text',
  description: 'The text ends as usual, and is empty.',
  apis: ['chat', 'native-text', 'messages', 'responses'],
  expected: 'either',
  rank: 5,
  answer: { text: '' },
}
