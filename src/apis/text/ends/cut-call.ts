import type { TextEnd } from './end.ts'

export const cutCall: TextEnd = {
  name: 'cut call',
  description: 'The limit of tokens ends the call of a tool.',
  expected: 'either',
  needsCall: true,
  rank: 8,
  answer: { calls: 'always', finish: 'length' },
}
