import { SettingsError } from '../../apis/video/settings.ts'
import { readPattern } from '../../scenario/schema/sequence-pattern.ts'
import { expectSchema } from '../../scenario/vocabulary/expect-schema.ts'
import { firstMistake } from '../../scenario/schema/mistakes.ts'

/**
 * Checks expectations of callers without a compiler: with a misspelt key, every run would pass.
 * @throws {SettingsError} for an unknown key or an invalid value; {PatternError} for a sequence that can't be read.
 */
export function checkExpect(expect: unknown): void {
  const { sequence } = (expect ?? {}) as { readonly sequence?: unknown }
  if (typeof sequence === 'string') readPattern(sequence)
  const mistake = firstMistake(expectSchema, expect)
  if (mistake !== undefined) throw new SettingsError(`Failed to read what is expected: ${mistake}`)
}
