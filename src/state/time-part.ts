import {
  clockModes,
  latestInstant,
  type ClockMode,
  type ResumedTime,
} from '../engine/clock/clock-settings.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { namespaceName } from '../engine/namespace.ts'
import { definePart, type Part, type StateParts } from './parts.ts'
import { countOf, fieldsOf, flagOf, numberOf } from './shape.ts'
import { StateError } from './state-error.ts'

/** Where a namespace's clock stood, and when that was by the host's. */
export interface KeptClock extends ResumedTime {
  readonly mode: ClockMode
  readonly rate: number
  readonly beganAt: number
  readonly wall: number
}

/**
 * The clocks, and with them the namespaces there are.
 * @param told hears where a clock stood; it goes on from there when all is known.
 */
export function clockPart(
  { namespaces }: StateParts,
  told: (name: string, clock: KeptClock | undefined) => void,
): Part {
  return definePart<KeptClock>({
    all: (namespace) =>
      namespaces.all().flatMap(({ name }) => (namespace === undefined || name === namespace ? [[name]] : [])),
    read: (name) => {
      if (!namespaces.has(name!)) return undefined
      const { clock, beganAt } = namespaces.get(name!)
      return { ...clock.past, beganAt, wall: hostTimers.now() }
    },
    check: (value, where, [name]) => {
      if (!namespaceName.test(name ?? '')) throw new StateError(`${where} names no namespace`)
      return checkClock(value, where)
    },
    write: (clock, name) => {
      namespaces.get(name!)
      told(name!, clock)
    },
    remove: (name) => {
      told(name!, undefined)
      if (name !== 'default') namespaces.remove(name!)
    },
  })
}

function checkClock(value: unknown, where: string): KeptClock {
  const fields = fieldsOf(value, where)
  const mode = clockModes.find((each) => each === fields['mode'])
  if (!mode) throw new StateError(`${where}.mode must be one of ${clockModes.join(', ')}`)
  const rate = numberOf(fields['rate'], `${where}.rate`)
  if (mode === 'scaled' && !(rate > 0 && rate <= 1e6)) throw new StateError(`${where}.rate must be above 0`)
  const now = countOf(fields['now'], `${where}.now`)
  const beganAt = countOf(fields['beganAt'], `${where}.beganAt`)
  if (now > latestInstant || beganAt > now)
    throw new StateError(`${where}.now lies before its beginning, or too late`)
  return {
    mode,
    rate,
    now,
    beganAt,
    wall: numberOf(fields['wall'], `${where}.wall`),
    slept: flagOf(fields['slept'], `${where}.slept`),
    movedMs: numberOf(fields['movedMs'], `${where}.movedMs`),
  }
}

/** Where a clock stands that was left alone since: real time went on meanwhile, unless the host's was set back. */
export function resumedNow({ mode, rate, now, wall }: KeptClock): number {
  const passedMs = mode === 'real' || mode === 'scaled' ? Math.max(0, hostTimers.now() - wall) * rate : 0
  return Math.min(latestInstant, Math.floor(now + passedMs))
}
