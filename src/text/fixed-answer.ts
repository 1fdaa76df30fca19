import { fitsGlob } from '../engine/glob.ts'
import { checkPace, TextSettingsError } from './pace.ts'
import type { FixedAnswer, TextSettings } from './spec.ts'

const contents = ['text', 'json', 'calls', 'refusal', 'empty', 'block'] as const

/** Why an answer is invalid, as the end of a sentence that begins with its name; undefined if it is valid. */
export function answerProblem(answer: {
  readonly [Field in (typeof contents)[number] | 'finish']?: unknown
}): string | undefined {
  const given = contents.filter((field) => answer[field] !== undefined)
  const needsNone = answer.finish !== undefined && answer.finish !== 'stop'
  if (given.length === 0 && !needsNone) return 'says nothing: give it text, json, calls or block'
  return given.length > 1 ? `has ${given.join(' and ')}: keep one of them` : undefined
}

/** The first fixed answer whose globs match. A missing glob matches everything. */
export function findFixed(
  answers: readonly FixedAnswer[],
  { model, prompt }: { model: string; prompt: string },
): FixedAnswer | undefined {
  if (answers.length === 0) return undefined
  const lowered = prompt.toLowerCase()
  return answers.find(
    (answer) =>
      (answer.model === undefined || fitsGlob(answer.model, model)) &&
      (answer.prompt === undefined || fitsGlob(answer.prompt.toLowerCase(), lowered)),
  )
}

/**
 * Checks the settings.
 * @throws {TextSettingsError} with the field and a valid value; `DurationError` for a duration of the pace.
 */
export function checkTextSettings({ answers = [], timing }: TextSettings): void {
  if (timing !== undefined) checkPace(timing)
  for (const [index, answer] of answers.entries()) {
    const problem = answerProblem(answer)
    if (problem !== undefined) throw new TextSettingsError(`text.answers[${index}] ${problem}`)
  }
}
