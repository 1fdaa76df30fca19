import { clockMapping } from '../../../engine/clock/clock-settings.ts'
import type { Finding } from '../finding.ts'
import type { FileScenario } from '../types.ts'

type FileClock = Exclude<NonNullable<FileScenario['clock']>, string>

/** A clock on which the reference client would wait for ever, and settings of which nothing comes. */
export function lintClock({ clock: given, drive = [] }: FileScenario): Finding[] {
  const clock: FileClock = clockMapping(given) ?? {}
  const mode = clock.mode ?? (clock.rate === undefined ? 'auto' : 'scaled')
  const idle = mode === 'auto' ? [] : ofAuto.filter((key) => clock[key] !== undefined)
  const advice = idle.map((key): Finding => ({
    severity: 'advice',
    place: ['clock', key],
    message:
      `clock.${key} is for mode auto: in mode ${mode} nothing comes of it until the control plane sets another. ` +
      'Leave it out, or take mode: auto.',
  }))
  return mode === 'manual' && drive.length > 0 ? [standsStill, ...advice] : advice
}

const ofAuto = ['pollStep', 'assume', 'participants', 'limit'] as const satisfies (keyof FileClock)[]

const standsStill: Finding = {
  severity: 'mistake',
  place: ['clock', 'mode'],
  message:
    "drive can't be played on a clock of mode manual: nobody moves it. Take mode: auto, or leave drive out and run a " +
    'command that advances the clock.',
}
