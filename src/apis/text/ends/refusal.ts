import type { TextEnd } from './end.ts'

export const refusal: TextEnd = {
  name: 'refusal',
  description: 'The model refuses in a field of its own, and the text is null.',
  expected: 'either',
  rank: 7,
  answer: { refusal: 'I cannot help with that.' },
}
