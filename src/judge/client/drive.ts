import type { DriveStep } from '../../scenario/vocabulary/types.ts'
import {
  ApiClient,
  type DriveContext,
  promptAt,
  resolveSettings,
  type StepSettings,
} from '../../apis/client/api-client.ts'
import { DeadlineExceeded, Failed, Impossible, Refused, TransportError } from '../../apis/client/errors.ts'
import type { DownloadedFile, FlowOutput } from '../../apis/client/task-result.ts'
import { findFlow } from '../../apis/index.ts'

export type { DriveContext }

/** The result of one task. */
export interface TaskOutcome {
  /** The name, such as `video-2`. */
  readonly name: string
  /**
   * `failed`: the task failed. `refused`: the gateway responded with an error. `gave-up`: it took too long. `broken`: no
   * usable response arrived. `impossible`: no response offers what the step needs.
   */
  readonly ended: 'succeeded' | 'failed' | 'refused' | 'gave-up' | 'broken' | 'impossible'
  /** Why it did not succeed. */
  readonly reason: string
  /** The ids of the created tasks. A drawing has one for each action, too. */
  readonly tasks: readonly string[]
  readonly files: readonly DownloadedFile[]
  readonly text: string
}

/**
 * The reference client: a good client of the gateway. It honours `Retry-After`, verifies downloads, retries lost responses
 * and never pays twice. It is deterministic: the same step with the same seed gives the same run.
 *
 * @param step what to do; see {@link DriveStep}.
 * @param context the gateway, the key and the clock.
 * @returns one outcome for each task, in the order of submission; errors of the gateway are outcomes.
 * @throws {DurationError} for an invalid duration in the step.
 *
 * @example
 * const { sleep, now } = sim.clock
 * const [outcome] = await drive(
 *   { flow: 'video', prompt: 'a red kite' },
 *   { fetch: sim.fetch, url: 'https://gateway.example', key: sim.key, sleep, now },
 * )
 * outcome?.ended // → 'succeeded'
 */
export async function drive(step: DriveStep, context: DriveContext): Promise<TaskOutcome[]> {
  const settings = resolveSettings(step, findFlow(step.flow, context.apis))
  // One sleep on the clock: from now on, an auto clock knows the waits of this client and assumes none.
  await context.sleep(0, { as: taskName(settings, 0) })
  const tasks = Array.from({ length: settings.n }, (_, index) => createTask(index, settings, context))
  if (settings.submitTogether) {
    return Promise.all(tasks.map(async ({ submit, finish }) => finish(await submit())))
  }
  const finishing: (() => Promise<TaskOutcome>)[] = []
  for (const { submit, finish } of tasks) {
    const submitted = await submit()
    finishing.push(() => finish(submitted))
  }
  return Promise.all(finishing.map((finish) => finish()))
}

/** The rest of a flow, or the error that ended it. */
type Submitted = (() => Promise<void>) | { readonly error: unknown }

interface DrivenTask {
  readonly submit: () => Promise<Submitted>
  readonly finish: (submitted: Submitted) => Promise<TaskOutcome>
}

function taskName({ flow }: StepSettings, index: number): string {
  return `${flow}-${index + 1}`
}

function createTask(index: number, settings: StepSettings, context: DriveContext): DrivenTask {
  const name = taskName(settings, index)
  const output: FlowOutput = { tasks: [], files: [], text: '' }
  const { keyHeader = 'authorization', load } = findFlow(settings.flow, context.apis)
  return {
    // A task that waits for its turn is not a participant of the clock, so that time can move.
    submit: () =>
      asParticipant(name, context, async () => {
        try {
          const client = new ApiClient(context, settings, { name, keyHeader })
          const start = await load()
          return await start(client, promptAt(settings, index), output)
        } catch (error) {
          return { error }
        }
      }),
    finish: (submitted) =>
      asParticipant(name, context, async () => {
        try {
          if ('error' in submitted) throw submitted.error
          await submitted()
          return { name, ended: 'succeeded', reason: '', ...output }
        } catch (error) {
          return { name, ended: endOf(error), reason: (error as Error).message, ...output }
        }
      }),
  }
}

async function asParticipant<T>(name: string, { join }: DriveContext, work: () => Promise<T>): Promise<T> {
  const leave = join?.(name)
  try {
    return await work()
  } finally {
    leave?.()
  }
}

/** @throws an unexpected error, which is a bug of greenroom. */
function endOf(error: unknown): TaskOutcome['ended'] {
  if (error instanceof Failed) return 'failed'
  if (error instanceof DeadlineExceeded) return 'gave-up'
  if (error instanceof Refused) return 'refused'
  if (error instanceof TransportError) return 'broken'
  if (error instanceof Impossible) return 'impossible'
  throw error
}
