import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { recognizeCopies } from '../../engine/shared-error.ts'
import { checkAgainst, firstMistake, mistakeSentence } from '../schema/mistakes.ts'
import { ruleSchema } from '../vocabulary/rule-schema.ts'
import type { Rule } from '../vocabulary/types.ts'

/**
 * Thrown for an invalid rule or throttle. The message names it, the value, and what to write instead.
 *
 * @example
 * sim.addRule({ id: 'odd', match: { op: 'video.poll' }, chance: '200%' }) // throws RuleError: …chance is "200%": …
 */
export class RuleError extends Error {
  static {
    recognizeCopies(this, 'RuleError')
  }

  override name = 'RuleError'
}

/** @param the origin of the other rule, if that may be unexpected. */
export function idIsTaken(id: string, where?: string): RuleError {
  const other = where === undefined ? '' : `, ${where}`
  const away = where === undefined ? '' : ', or take that one away'
  return new RuleError(
    `Failed to add rule "${id}": there is one of this id${other}. Ids key the random draws; give it another${away}.`,
  )
}

/**
 * Finds mistakes when a rule is added, not when it first fires.
 * @throws {RuleError}
 */
export function checkRule(id: string, rule: Rule, operations: OperationTable): void {
  const mistake = firstMistake(ruleSchema, rule, operations) ?? fileMistake(rule)
  if (mistake !== undefined) throw new RuleError(`Failed to add rule "${id}": ${mistake}`)
}

/** The keys of a rule that change a response. */
export const effects = [
  'attempts',
  'respond',
  'task',
  'delay',
  'answer',
  'stream',
  'media',
  'fault',
  'set',
] as const

/**
 * Refuses a rule without effect: a test with it would pass without testing anything.
 * @throws {RuleError}
 */
export function requireEffect(name: string, rule: Rule, operations: OperationTable, alternative = ''): void {
  if (effects.some((effect) => rule?.[effect] !== undefined)) return
  // Comes first, because its error names a misspelt key.
  checkRule(name, rule, operations)
  throw new RuleError(`Failed to add rule "${name}": it has no effect. ${effectAdvice}${alternative}.`)
}

export const effectAdvice = 'Add respond, fault, delay, task, answer, stream, media, attempts or set'

/** Why the media file of a rule is invalid. Files name media relative to themselves; the loader has resolved those paths. */
function fileMistake({ media }: Rule): string | undefined {
  if (media?.file === undefined || /^(?:\/|[A-Za-z]:[\\/])/.test(media.file)) return undefined
  return `media.file is "${media.file}": give an absolute path.`
}

/**
 * Checks a rule that a client sent over HTTP.
 * @returns the rule, or every mistake in it as a sentence.
 */
export function readRule(
  value: unknown,
  operations: OperationTable,
): { rule: Rule } | { mistakes: readonly string[] } {
  const checked = checkAgainst(ruleSchema, value, operations)
  if ('value' in checked) return { rule: checked.value as Rule }
  return { mistakes: checked.mistakes.map((mistake) => mistakeSentence(mistake, 'the rule')) }
}
