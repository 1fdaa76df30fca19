import { clockMapping } from '../../engine/clock/clock-settings.ts'

/** The fields of a clock that can conflict with another source. */
interface PartialClock {
  mode?: string | undefined
  rate?: number | undefined
}

/**
 * Merges the clock settings of two sources key by key; the stronger one wins. A rate needs mode `scaled`. So another mode
 * drops the rate of the weaker source, and a rate alone sets mode `scaled`.
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
