import type { TextEnd } from './end.ts'

export const noCandidate: TextEnd = {
  name: 'no candidate',
  description: 'The response has no candidate, choice or item.',
  expected: 'either',
  rank: 6,
  answer: { empty: true },
}
