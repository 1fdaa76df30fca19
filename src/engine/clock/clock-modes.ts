import {
  ClockError,
  clockModes,
  maxRate,
  fixedStart,
  latestInstant,
  type ClockMode,
  type ClockSettings,
  type Timing,
} from './clock-settings.ts'
import { formatDuration } from './duration.ts'
import { areFaked, dateNow, isHalfFaked } from './timers/fake-timers.ts'
import { fakedAtLoad, type HostTimers } from './timers/host-timers.ts'

/** The first instant of a clock. */
export function startOf({ mode, start }: ClockSettings, host: HostTimers): number {
  if (mode === 'host') {
    if (start === undefined) return dateNow()
    throw new ClockError(
      'Failed to set the clock: in mode host time starts at the Date of this process. Leave start out.',
    )
  }
  if (start !== undefined) return start
  return mode === 'real' || mode === 'scaled' ? Math.floor(host.now() / 1000) * 1000 : fixedStart
}

/**
 * Virtual milliseconds per millisecond of the host; 0 if time moves in jumps.
 * @param rate the requested rate.
 * @param present the rate up to now, which a scaled clock keeps by default.
 * @throws {ClockError} for an unknown mode, and a rate that isn't above 0 or belongs to another mode.
 */
export function rateOf(mode: ClockMode, rate: number | undefined, present: number): number {
  if (!clockModes.includes(mode)) {
    throw new ClockError(`Failed to set the clock: mode is "${mode}". Use one of ${clockModes.join(', ')}.`)
  }
  if (rate !== undefined && mode !== 'scaled') {
    throw new ClockError(
      `Failed to set the clock: a rate goes with mode scaled, not with ${mode}. Leave one out.`,
    )
  }
  const scale = rate ?? present
  if (!(scale > 0 && scale <= maxRate)) {
    throw new ClockError(
      `Failed to set the clock: rate is ${rate}. Use a number above 0 and up to ${maxRate}.`,
    )
  }
  if (mode === 'scaled') return scale
  return mode === 'real' || mode === 'host' ? 1 : 0
}

/**
 * The instant of a clock when its mode changes: the present one, or in mode `host` the Date of the process.
 * @throws {ClockError} if the timers or the Date of this process don't allow the mode.
 */
export function instantFor(mode: ClockMode, now: number): number {
  refuseEarlyFakes(mode)
  if (mode !== 'host') return now
  const date = dateNow()
  if (date >= now && date <= latestInstant) return date
  throw new ClockError(
    `Failed to set the clock: the Date of this process, ${new Date(date).toISOString()}, lies before the clock's ` +
      `${new Date(now).toISOString()}, and time never moves back. Make the simulator in mode host from the beginning.`,
  )
}

/** The error of a wait that the mode doesn't support; undefined if it does. */
export function refuseWait(mode: ClockMode): ClockError | undefined {
  if (mode !== 'host' || !isHalfFaked()) return undefined
  return new ClockError(
    'Failed to wait on the clock: the timers of this process are faked and its Date is not, so in mode host the two ' +
      "drift apart. Fake both, as vi.useFakeTimers() does by default, or use clock mode 'auto'.",
  )
}

/** @throws {ClockError} for a mode that can't be advanced by hand, and for an instant after the year 9999. */
export function checkAdvance(mode: ClockMode, instant: number): void {
  if (!(instant <= latestInstant))
    throw new ClockError(
      'Failed to advance the clock: time ends at 9999-12-31T23:59:59Z. Give an instant before that.',
    )
  if (mode !== 'host') return
  throw new ClockError(
    'Failed to advance the clock: in mode host time is the Date of this process. Advance that, as by ' +
      'vi.advanceTimersByTimeAsync(5000).',
  )
}

function refuseEarlyFakes(mode: ClockMode): void {
  if (fakedAtLoad.length === 0) return
  throw new ClockError(
    `Failed to set the clock: ${fakedAtLoad.join(' and ')} of this process were faked before greenroom was imported, ` +
      `so mode ${mode} would hang. Import greenroom first, and fake them after that.`,
  )
}

/** @throws {ClockError} for an instant in the past. */
export function checkInstant(instant: number, now: number): void {
  if (instant >= now) return
  throw new ClockError(
    `Failed to advance the clock: the instant lies ${formatDuration(now - instant)} in the past. ` +
      `Time only moves forward; now is ${new Date(now).toISOString()}.`,
  )
}

/** Which clock measures the waits of clients. */
export function timingOf(
  mode: ClockMode,
  { isExact, hasClients }: { isExact: boolean; hasClients: boolean },
): Timing {
  if (mode === 'real' || mode === 'scaled') return 'wall'
  // In `host`, clients and the clock use the same timers, faked or not.
  if (mode === 'host') return areFaked() ? 'exact' : 'wall'
  if (isExact) return 'exact'
  return hasClients ? 'virtual' : 'assumed'
}
