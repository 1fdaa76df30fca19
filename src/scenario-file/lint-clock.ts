import type { Finding } from './finding.ts'
import type { FileScenario } from './types.ts'

/** A clock on which the reference client would wait for ever. */
export function lintClock({ clock = {}, drive = [] }: FileScenario): Finding[] {
  if (clock.mode !== 'manual' || drive.length === 0) return []
  const message =
    "drive can't be played on a clock of mode manual: nobody moves it. Take mode: auto, or leave drive out and run a " +
    'command that advances the clock.'
  return [{ severity: 'mistake', place: ['clock', 'mode'], message }]
}
