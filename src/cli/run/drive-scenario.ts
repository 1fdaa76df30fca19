import { drive, type TaskOutcome } from '../../judge/client/drive.ts'
import type { DriveStep } from '../../scenario/drive.ts'
import type { RunningServer } from '../../server/server.ts'

/** The namespace that is run and judged: the one of all keys that name no other. */
export const judgedNamespace = 'default'

/**
 * Lets the reference client do the steps of a scenario, one after the other, over the server's socket and on its clock.
 * In `auto`, each task that it follows takes part in the clock, so that the same seed is the same run.
 *
 * @param ended makes the client wait no more: a clock that is closed would let it try again without end.
 * @throws the signal's reason, when the client wants to wait afterwards.
 */
export async function driveScenario(
  steps: readonly DriveStep[],
  { url, simulator }: RunningServer,
  { key, ended }: { key: string; ended: AbortSignal },
): Promise<TaskOutcome[]> {
  const { control } = simulator
  const takesPart = control.clock(judgedNamespace).mode === 'auto'
  const join = (name: string): (() => void) => {
    control.join(judgedNamespace, name)
    return () => void control.leave(judgedNamespace, name)
  }
  const outcomes: TaskOutcome[] = []
  for (const step of steps) {
    const done = await drive(step, {
      fetch,
      url,
      key,
      sleep: async (durationMs, options) => {
        ended.throwIfAborted()
        return control.sleep(judgedNamespace, durationMs, options)
      },
      now: () => control.now(judgedNamespace),
      ...(takesPart ? { join } : {}),
    })
    outcomes.push(...done)
  }
  return outcomes
}

/** What became of a task that was driven, in a line. */
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
