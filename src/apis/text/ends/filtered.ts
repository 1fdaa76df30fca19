import type { TextEnd } from './end.ts'

export const filtered: TextEnd = {
  name: 'filtered',
  description: 'A filter stops the text before its first word.',
  expected: 'report',
  rank: 3,
  answer: { finish: 'safety' },
}
