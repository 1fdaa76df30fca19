import type { Activity } from '../engine/clock/activity.ts'
import { Clock } from '../engine/clock/clock.ts'
import type { ClockSettings, Stuck } from '../engine/clock/clock-settings.ts'
import { absentAdvice } from '../engine/clock/stall.ts'
import type { EventLog } from '../engine/tasks/events.ts'

/** Creates the clocks of namespaces, which report moves as events, and stalls as warnings. */
export function clockFactory({
  activity,
  events,
  onWarning,
  clockOf,
}: {
  activity: Activity
  events: EventLog
  onWarning: (message: string) => void
  clockOf: (namespace: string) => Clock
}): (namespace: string, settings: ClockSettings) => Clock {
  const onStuck = (namespace: string, { outcome, why, waiting }: Stuck): void => {
    const at = clockOf(namespace).now()
    events.append({ type: 'clock.stuck', at, namespace, outcome, why, waiting })
    const advice = outcome === 'absent' ? ` ${absentAdvice}` : ''
    onWarning(`Time stands still in namespace "${namespace}": ${why}.${advice}`)
  }
  const onManualWait = (namespace: string, why: string): void =>
    onWarning(
      `A client waits in namespace "${namespace}": ${why}. Advance the clock by sim.clock.advance('5s') or ` +
        `POST /_greenroom/clock/advance {"by":"5s"}, or use clock mode real, scaled or auto.`,
    )
  return (namespace, settings) =>
    new Clock({
      ...settings,
      requests: activity,
      onMove: (at) => events.append({ type: 'clock.moved', at, namespace }),
      onManualWait: (why) => onManualWait(namespace, why),
      onStuck: (stuck) => onStuck(namespace, stuck),
    })
}
