import type { Position } from '../error.ts'
import type { Finding } from '../finding.ts'
import { lintClock } from './lint-clock.ts'
import { lintDrive } from './lint-drive.ts'
import { lintExpectations } from './lint-expectations.ts'
import { lintFaults } from './lint-faults.ts'
import { lintIdle } from './lint-idle.ts'
import { lintRules } from './lint-rules.ts'
import { lintEffects } from './lint-effects.ts'
import { lintSelection } from './lint-selection.ts'
import { lintTimelines } from './lint-timelines.ts'
import { lintWishes } from './lint-wishes.ts'
import type { FileScenario, LoadedScenario } from '../types.ts'

/** Where a scenario is to run, as far as findings depend on it. */
export interface LintOptions {
  /** `embedded`: without a socket, where some faults are only approximated. Default `socket`. */
  readonly door?: 'socket' | 'embedded'
}

/**
 * Finds in a valid scenario what can't be meant.
 * @returns the findings in the order of the file's parts; none for a scenario that is fine.
 */
export function lintScenario(scenario: FileScenario, { door = 'socket' }: LintOptions = {}): Finding[] {
  return [
    ...lintClock(scenario),
    ...lintRules(scenario),
    ...lintSelection(scenario),
    ...lintEffects(scenario),
    ...lintIdle(scenario),
    ...lintTimelines(scenario),
    ...lintFaults(scenario, door),
    ...lintDrive(scenario),
    ...lintExpectations(scenario),
    ...lintWishes(scenario),
  ]
}

/** The findings of a scenario that was loaded, with where they stand. */
export function lintLoaded(
  { scenario, at }: LoadedScenario,
  options: LintOptions = {},
): (Finding & { at: Position })[] {
  return lintScenario(scenario, options).map((finding) => ({ ...finding, at: at(finding.place) }))
}
