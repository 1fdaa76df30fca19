import type { Activity } from '../engine/clock/activity.ts'
import { Clock } from '../engine/clock/clock.ts'
import type { ClockSettings, Stuck } from '../engine/clock/clock-settings.ts'
import { absentAdvice } from '../engine/clock/stall.ts'
import type { EventLog } from '../engine/tasks/events.ts'

import { parseDuration } from '../engine/clock/duration.ts'
import { Namespaces, newNamespace } from '../engine/namespace.ts'
import type { Changes } from '../engine/tasks/changes.ts'
import type { OpenTasks } from '../engine/tasks/open-tasks.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import { Journal } from '../gateway/journal.ts'
import { RetrySchedule } from '../gateway/retry-schedule.ts'
import { defaultLimits, type SimulatorOptions } from './options.ts'
import { readShard } from './settings.ts'

interface NamespaceDeps {
  readonly clockSettings: ClockSettings
  readonly activity: Activity
  readonly events: EventLog
  readonly tasks: TaskStore
  readonly open: OpenTasks
  readonly changes: Changes
  /** Forgets the counts of a namespace. */
  readonly forget: (namespace: string) => void
  readonly onWarning: (message: string) => void
}

/**
 * Creates the namespaces of a simulator. Their clocks report moves as events, and stalls as warnings.
 * @returns the namespaces, and a function that creates a clock.
 */
export function createNamespaces(
  { limits = {}, retention, shard }: SimulatorOptions,
  { clockSettings, activity, events, tasks, open, changes, forget, onWarning }: NamespaceDeps,
): {
  namespaces: Namespaces<GatewayNamespace>
  newClock: (namespace: string, settings: ClockSettings) => Clock
} {
  const onStuck = (namespace: string, { outcome, why, waiting }: Stuck): void => {
    const at = namespaces.get(namespace).clock.now()
    events.append({ type: 'clock.stuck', at, namespace, outcome, why, waiting })
    const advice = outcome === 'absent' ? ` ${absentAdvice}` : ''
    onWarning(`Time stands still in namespace "${namespace}": ${why}.${advice}`)
  }
  const onManualWait = (namespace: string, why: string): void =>
    onWarning(
      `A client waits in namespace "${namespace}": ${why}. Advance the clock by sim.clock.advance('5s') or ` +
        `POST /_greenroom/clock/advance {"by":"5s"}, or use clock mode real, scaled or auto.`,
    )
  const newClock = (namespace: string, settings: ClockSettings): Clock =>
    new Clock({
      ...settings,
      requests: activity,
      nextStep: (now) => open.nextStep(namespace, now),
      onMove: (at) => events.append({ type: 'clock.moved', at, namespace }),
      onManualWait: (why) => onManualWait(namespace, why),
      onStuck: (stuck) => onStuck(namespace, stuck),
    })
  const shardTag = readShard(shard)
  const namespaces = new Namespaces<GatewayNamespace>({
    create: (name) => ({
      ...newNamespace(name, newClock(name, clockSettings), changes, shardTag),
      journal: new Journal(limits.journalEntries ?? defaultLimits.journalEntries),
      retries: new RetrySchedule(),
    }),
    canRemove: ({ name }) => tasks.count(name) === 0,
    onRemove: ({ name, clock }) => {
      forget(name)
      tasks.clear(name, clock.now())
      changes.note('cleared', name)
      changes.note('clock', name)
    },
    max: limits.namespaces ?? defaultLimits.namespaces,
    ...(retention?.idle !== undefined && {
      idle: { afterMs: parseDuration(retention.idle), activity: ({ journal }) => journal.nextNumber },
    }),
  })
  namespaces.get('default')
  return { namespaces, newClock }
}
