import type { TextEnd } from './end.ts'

export const blockedPrompt: TextEnd = {
  name: 'blocked prompt',
  description: 'The prompt is blocked, with status 200.',
  expected: 'report',
  rank: 2,
  answer: { block: 'safety' },
}
