import { ApiClient, type DriveParts } from './api-client.ts'
import type { DownloadedFile } from './download.ts'
import { startChat, startChatStream } from './flows/chat.ts'
import { startDrawing } from './flows/drawing.ts'
import type { FlowStart, Yield } from './flows/flow.ts'
import { startOpenaiVideo } from './flows/openai-video.ts'
import { startText, startTextStream } from './flows/text.ts'
import { startVideo } from './flows/video.ts'
import type { DriveStep, Flow } from '../../scenario/drive.ts'
import { promptOf, settingsOf, type Settings } from './settings.ts'
import { Failed, DeadlineExceeded, Impossible, TransportError, Refused } from './errors.ts'

/** How it ended for one task. */
export interface TaskOutcome {
  /** Such as `video-2`. */
  readonly name: string
  /**
   * `failed`: the task did. `refused`: the gateway said no. `gave-up`: it took too long. `broken`: the answers did not
   * get through. `impossible`: the step wants what no answer offers.
   */
  readonly ended: 'succeeded' | 'failed' | 'refused' | 'gave-up' | 'broken' | 'impossible'
  /** Why it did not succeed. */
  readonly reason: string
  /** The ids of the tasks that were made: of a drawing, one for each action too. */
  readonly tasks: readonly string[]
  readonly files: readonly DownloadedFile[]
  readonly text: string
}

const starts: Readonly<Record<Flow, FlowStart>> = {
  video: startVideo,
  'openai-video': startOpenaiVideo,
  drawing: startDrawing,
  text: startText,
  'text-stream': startTextStream,
  chat: startChat,
  'chat-stream': startChatStream,
}

/**
 * The reference client: does what a good client of the gateway does, against anything that answers as one. It waits as
 * it is asked to, verifies what it downloads, repeats what was lost, and never pays twice. Without chance in it, so that
 * the same step against the same seed is the same run.
 *
 * @param step what to do; see {@link DriveStep}.
 * @param parts where, with which key, and on whose time.
 * @returns one outcome for each task, in the order of submission. What goes wrong on the way is an outcome.
 * @throws {DurationError} for a time in the step that can't be read.
 *
 * @example
 * const { sleep, now } = sim.clock
 * const [outcome] = await drive(
 *   { flow: 'video', prompt: 'a red kite' },
 *   { fetch: sim.fetch, url: 'https://gateway.example', key: sim.key, sleep, now },
 * )
 * outcome?.ended // → 'succeeded'
 */
export async function drive(step: DriveStep, parts: DriveParts): Promise<TaskOutcome[]> {
  const settings = settingsOf(step)
  // From here on nobody needs to guess how long this client waits.
  await parts.sleep(0, { as: nameOf(settings, 0) })
  const drivers = Array.from({ length: settings.n }, (_, index) => driver(index, settings, parts))
  if (settings.submitTogether)
    return Promise.all(drivers.map(async ({ submit, finish }) => finish(await submit())))
  const finishing: (() => Promise<TaskOutcome>)[] = []
  for (const { submit, finish } of drivers) {
    const going = await submit()
    finishing.push(() => finish(going))
  }
  return Promise.all(finishing.map((finish) => finish()))
}

interface Driver {
  readonly submit: () => Promise<Going>
  readonly finish: (going: Going) => Promise<TaskOutcome>
}

/** The rest of a flow, or what ended it. */
type Going = (() => Promise<void>) | { readonly error: unknown }

function nameOf({ flow }: Settings, index: number): string {
  return `${flow}-${index + 1}`
}

function driver(index: number, settings: Settings, parts: DriveParts): Driver {
  const name = nameOf(settings, index)
  const made: Yield = { tasks: [], files: [], text: '' }
  const keyHeader = settings.flow.startsWith('text') ? { keyHeader: 'x-native-api-key' } : {}
  return {
    // Whoever waits for its turn is not at work: time may move on without it.
    submit: () =>
      atWork(name, parts, async () => {
        try {
          const caller = new ApiClient(parts, settings, { name, ...keyHeader })
          return await starts[settings.flow](caller, promptOf(settings, index), made)
        } catch (error) {
          return { error }
        }
      }),
    finish: (going) =>
      atWork(name, parts, async () => {
        try {
          if ('error' in going) throw going.error
          await going()
          return { name, ended: 'succeeded', reason: '', ...made }
        } catch (error) {
          return { name, ended: endOf(error), reason: (error as Error).message, ...made }
        }
      }),
  }
}

async function atWork<T>(name: string, { join }: DriveParts, work: () => Promise<T>): Promise<T> {
  const leave = join?.(name)
  try {
    return await work()
  } finally {
    leave?.()
  }
}

/** @throws what isn't trouble of the client's but a mistake of ours. */
function endOf(error: unknown): TaskOutcome['ended'] {
  if (error instanceof Failed) return 'failed'
  if (error instanceof DeadlineExceeded) return 'gave-up'
  if (error instanceof Refused) return 'refused'
  if (error instanceof TransportError) return 'broken'
  if (error instanceof Impossible) return 'impossible'
  throw error
}
