const contents = ['text', 'json', 'calls', 'block'] as const

/** Why an answer is invalid, as the end of a sentence that begins with its name; undefined if it is valid. */
export function answerProblem(answer: {
  readonly [Field in (typeof contents)[number] | 'finish']?: unknown
}): string | undefined {
  const given = contents.filter((field) => answer[field] !== undefined)
  const needsNone = answer.finish !== undefined && answer.finish !== 'stop'
  if (given.length === 0 && !needsNone) return 'says nothing: give it text, json, calls or block'
  return given.length > 1 ? `has ${given.join(' and ')}: keep one of them` : undefined
}
