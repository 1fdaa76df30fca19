import * as z from 'zod/mini'
import type { Core } from '../../gateway/core.ts'
import {
  clockModes,
  latestInstant,
  type ClockMode,
  type ResumedTime,
} from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { amount, count, definePart, type StateParts } from './parts.ts'

/** The time of a clock when it was stored, and the host's time at that moment. */
export interface StoredClock extends ResumedTime {
  readonly mode: ClockMode
  readonly rate: number
  readonly beganAt: number
  readonly wall: number
}

/**
 * The clocks, and so the existing namespaces.
 * @param stored receives each restored clock. It continues from that time when all values are restored.
 */
export function clockPart(
  { namespaces }: Pick<Core, 'namespaces'>,
  stored: Map<string, StoredClock>,
): StateParts {
  return {
    clock: definePart({
      names: ['namespace'],
      list: (namespace) =>
        namespaces
          .all()
          .flatMap(({ name }) => (namespace === undefined || name === namespace ? [[name]] : [])),
      read: (name) => {
        if (!namespaces.has(name)) return undefined
        const { clock, beganAt } = namespaces.get(name)
        return { ...clock.past, beganAt, wall: hostTimers.now() }
      },
      schema: clockSchema,
      problem: clockProblem,
      write: (clock, name) => {
        namespaces.get(name)
        stored.set(name, clock)
      },
    }),
  }
}

const clockSchema = z.object({
  mode: z.enum(clockModes),
  rate: amount,
  now: count,
  beganAt: count,
  wall: amount,
  slept: z.boolean(),
  movedMs: amount,
})

function clockProblem({ mode, rate, now, beganAt }: StoredClock): string | undefined {
  if (mode === 'scaled' && !(rate > 0 && rate <= 1e6)) return 'rate must be above 0'
  if (now > latestInstant || beganAt > now) return 'now is before the beginning of the clock, or too late'
  return undefined
}

/** The present time of a stored clock. Real time has passed, unless the clock of the host was set back. */
export function resumedNow({ mode, rate, now, wall }: StoredClock): number {
  const passedMs = mode === 'real' || mode === 'scaled' ? Math.max(0, hostTimers.now() - wall) * rate : 0
  return Math.min(latestInstant, Math.floor(now + passedMs))
}
