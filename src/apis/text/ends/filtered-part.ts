import type { TextEnd } from './end.ts'

export const filteredPart: TextEnd = {
  name: 'filtered part',
  description: 'A filter stops the text in the middle.',
  expected: 'report',
  rank: 4,
  answer: { text: 'The first part of the answer, and', finish: 'safety' },
}
