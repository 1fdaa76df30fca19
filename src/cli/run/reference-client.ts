import { drive, type TaskOutcome } from '../../judge/client/drive.ts'
import type { DriveStep } from '../../scenario/vocabulary/types.ts'
import type { RunningServer } from '../../server/start.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './client-hints.ts'

/** The reference client at work. */
interface ReferenceClient {
  /** The outcomes of all steps; none if it was ended first. */
  readonly ended: Promise<readonly TaskOutcome[]>
  readonly end: () => Promise<void>
}

/** Lets the reference client do the steps of a scenario. @param options with the APIs of its config. */
export function startReferenceClient(
  steps: readonly DriveStep[],
  server: RunningServer,
  options: { readonly key: string; readonly apis?: unknown },
): ReferenceClient {
  const over = new AbortController()
  const ended = driveScenario(steps, server, { ...options, ended: over.signal }).then((outcomes) =>
    over.signal.aborted ? [] : outcomes,
  )
  ended.catch(() => {})
  return { ended, end: async () => over.abort() }
}

/**
 * Runs the steps of a scenario with the reference client, over the server's socket and on its clock. In `auto`, each task
 * is a participant of the clock, so that the same seed gives the same run.
 *
 * @param ended ends the waits of the client. Otherwise, it would retry forever when the clock is closed.
 * @throws the signal's reason, if the client waits after that.
 */
async function driveScenario(
  steps: readonly DriveStep[],
  { url, simulator }: RunningServer,
  { key, apis, ended }: { key: string; apis?: unknown; ended: AbortSignal },
): Promise<TaskOutcome[]> {
  const { control } = simulator
  const isParticipant = control.clock.status(judgedNamespace).mode === 'auto'
  const join = (name: string): (() => void) => {
    control.clock.join(judgedNamespace, name)
    return () => void control.clock.leave(judgedNamespace, name)
  }
  const outcomes: TaskOutcome[] = []
  for (const step of steps) {
    const done = await drive(step, {
      fetch,
      url,
      key,
      apis,
      sleep: async (durationMs, options) => {
        ended.throwIfAborted()
        return control.clock.sleep(judgedNamespace, durationMs, options)
      },
      now: () => control.clock.now(judgedNamespace),
      nextChange: () => findNextChange(simulator),
      ...(isParticipant ? { join } : {}),
    })
    outcomes.push(...done)
  }
  return outcomes
}

function findNextChange({ control }: Simulator): number {
  const now = control.clock.now(judgedNamespace)
  const changes = control.tasks
    .list(judgedNamespace)
    .flatMap(({ timeline }) => timeline.map(({ from }) => from))
  return Math.min(...changes.filter((at) => at > now))
}

/** The result of a step in a line. */
export function outcomeLine({ name, ended, reason, tasks, files, text }: TaskOutcome): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const made = [
    ...(tasks.length > 0 ? [`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`] : []),
    ...(files.length > 0
      ? [`${files.length} ${files.length === 1 ? 'file' : 'files'} of ${bytes} bytes`]
      : []),
    ...(text === '' ? [] : [`${text.length} characters`]),
  ]
  return `drive ${name}: ${ended}${reason === '' ? '' : `, ${reason}`}${made.length === 0 ? '' : ` (${made.join(', ')})`}`
}
