import type { ClockSettings } from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { OpenTasks } from '../engine/tasks/open-tasks.ts'
import { State, type StateSettings } from '../state/state.ts'
import type { Hooks } from '../apis/drawing/hooks.ts'

/** What a state is composed of. */
export interface ComposedState {
  readonly parts: Omit<StateSettings, 'lifecycleOf' | 'clear' | 'resume' | 'onResumed'>
  readonly clear: StateSettings['clear']
  readonly open: OpenTasks
  readonly hooks: Hooks
  /** What every clock begins with, and what makes one. */
  readonly clockSettings: ClockSettings
  readonly newClock: (namespace: string, settings: ClockSettings) => Clock
}

/** The state of a simulator: how its clocks go on, and who has to be told when it went on. */
export function composeState({ parts, clear, open, hooks, clockSettings, newClock }: ComposedState): State {
  const { namespaces, tasks } = parts
  return new State({
    ...parts,
    clear,
    lifecycleOf: (name) => tasks.knownLifecycle(name),
    resume: (name, { mode, rate, beganAt, ...resume }) => {
      // In mode host time is the Date of the process, wherever it stood.
      const went = mode === 'host' ? {} : { start: beganAt, resume }
      const { rate: _, start: __, ...usual } = clockSettings
      const clock = newClock(name, { ...usual, mode, ...(mode === 'scaled' && { rate }), ...went })
      namespaces.put({ ...namespaces.get(name), clock, beganAt })
    },
    onResumed: (stood) => {
      open.forget()
      for (const [namespace, at] of stood) for (const task of tasks.list(namespace)) hooks.resume(task, at)
    },
  })
}
