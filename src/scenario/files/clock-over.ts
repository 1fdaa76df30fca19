import { clockMapping } from '../../engine/clock/clock-settings.ts'

/** As much of a clock as can contradict what another source says of it. */
interface PartialClock {
  mode?: string | undefined
  rate?: number | undefined
}

/**
 * What one source says of the clock, over what a weaker one says, key by key. A rate goes with mode `scaled`: another mode
 * takes the weaker one's rate away, and a rate alone means mode `scaled`, whatever the weaker one's mode is.
 */
export function clockOver<Clock extends PartialClock>(
  weaker: string | Clock,
  stronger: string | Clock,
): Clock {
  const over = (clockMapping(stronger) ?? {}) as Clock
  const whole = { ...(clockMapping(weaker) as Clock), ...over }
  const { mode, rate } = over
  if (rate !== undefined) return { ...whole, mode: mode ?? 'scaled' }
  if (mode === undefined || mode === 'scaled') return whole
  const { rate: _, ...rateless } = whole
  return rateless as Clock
}
