import { Clock, type ClockSettings } from './engine/clock.ts'
import { keyedDraws, type Draws } from './engine/draws.ts'
import { parseDuration } from './engine/duration.ts'
import { EventLog } from './engine/events.ts'
import { replaceLifecycle } from './engine/lifecycle.ts'
import { Namespaces, newNamespace } from './engine/namespace.ts'
import { TaskStore, type Task } from './engine/tasks.ts'
import { ControlPlane } from './control/control-plane.ts'
import { SimulatorControl } from './simulator-control.ts'
import { Gateway } from './gateway/gateway.ts'
import type { Exchange, GatewayNamespace } from './gateway/parts.ts'
import type { Incoming } from './gateway/incoming.ts'
import { Journal } from './gateway/journal.ts'
import { headerList } from './gateway/reply.ts'
import type { MediaSource } from './media/source.ts'
import type { SimulatorOptions } from './options.ts'
import { Rules } from './scenario/rules.ts'
import { videoLifecycle } from './surfaces/video/lifecycle.ts'
import { videoRoutes } from './surfaces/video/routes.ts'
import { videoDefaults, type VideoSettings } from './surfaces/video/settings.ts'
import { clipOf } from './surfaces/video/task.ts'

const megabyte = 1024 * 1024

/** A simulator without a way in; doors give it one. */
export interface Simulator {
  /** Decides a request. The door that brought it carries the answer out. */
  readonly handle: (incoming: Incoming) => Exchange | Promise<Exchange>
  readonly control: SimulatorControl
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly events: EventLog
  readonly media: MediaSource
  readonly draws: Draws
  /** Ends encoders and clocks. Whoever waits is let go. */
  readonly close: () => Promise<void>
}

/**
 * Builds a simulator: the one place where its parts meet.
 *
 * @param options see {@link SimulatorOptions}; `media` and a clock mode must be given.
 * @throws {LifecycleError} {DurationError} {ClockError} for options that contradict themselves.
 */
export function composeSimulator(
  options: SimulatorOptions & { media: MediaSource; clock: { mode: ClockSettings['mode'] } },
): Simulator {
  const { media, limits = {}, onWarning = () => {} } = options
  const draws = keyedDraws(options.seed ?? 1)
  const events = new EventLog()
  const lifecycle = options.video?.lifecycle
    ? replaceLifecycle(videoLifecycle, options.video.lifecycle)
    : videoLifecycle
  const tasks = new TaskStore([lifecycle], events)
  const rules = new Rules(draws, options.rules)
  const clockSettings = readClock(options.clock)
  const namespaces = new Namespaces<GatewayNamespace>({
    create: (name) => ({
      ...newNamespace(name, new Clock(clockSettings)),
      journal: new Journal(limits.journalEntries ?? 10_000),
    }),
    canGo: ({ name }) => tasks.count(name) === 0,
    most: limits.namespaces ?? 10_000,
  })
  namespaces.get('default')

  const settings = readVideo(options)
  const onSubmit = (task: Task): void => {
    const { clock } = namespaces.get(task.record.namespace)
    if (clock.mode === 'real' || clock.mode === 'scaled') prefetch(task, clock)
  }
  let closed = false
  const prefetch = (task: Task, clock: Clock): void => {
    if (!task.timeline.spans.some(({ state }) => state === lifecycle.roles.success)) return
    media.prefetch(clipOf(task)).catch((error: Error) => {
      if (closed) return
      onWarning(error.message)
      failTask(tasks, task.record.id, clock, error.message)
    })
  }

  const gateway = new Gateway({
    routes: videoRoutes(settings, lifecycle, onSubmit),
    namespaces,
    tasks,
    rules,
    draws,
    media,
    keys: options.keys ?? [],
    ignoredFields: options.identity?.ignore ?? [],
    bodyLimitBytes: (limits.bodyMegabytes ?? 32) * megabyte,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    onBug: onWarning,
  })
  const control = new SimulatorControl({ namespaces, tasks, events, media, draws })
  const controlPlane = new ControlPlane(control, readGuard(options), onWarning)

  return {
    handle: (incoming) =>
      controlPlane.owns(incoming.target)
        ? handleControl(controlPlane, incoming, namespaces)
        : gateway.handle(incoming),
    control,
    namespaces,
    tasks,
    rules,
    events,
    media,
    draws,
    close: async () => {
      closed = true
      for (const { clock } of namespaces.all()) clock.close()
      await media.close()
    },
  }
}

async function handleControl(
  controlPlane: ControlPlane,
  incoming: Incoming,
  namespaces: Namespaces<GatewayNamespace>,
): Promise<Exchange> {
  const reply = await controlPlane.handle(incoming)
  return {
    reply,
    headers: headerList(reply.headers),
    clock: namespaces.get('default').clock,
    settle: () => {},
  }
}

/** A render that fails before the task would have succeeded is the task's failure; later it is the download's. */
function failTask(tasks: TaskStore, id: string, clock: Clock, reason: string): void {
  const task = tasks.find(id)
  if (!task || tasks.view(task, clock.now()).final) return
  tasks.transition(task, { at: clock.now(), state: task.lifecycle.roles.failure, reason, cause: 'render' })
}

function readClock(clock: SimulatorOptions['clock'] & { mode: ClockSettings['mode'] }): ClockSettings {
  const { mode, rate, start, pollStep } = clock
  return {
    mode,
    ...(rate === undefined ? {} : { rate }),
    ...(start === undefined ? {} : { start: readStart(start) }),
    ...(pollStep === undefined ? {} : { pollStepMs: parseDuration(pollStep) }),
  }
}

function readStart(start: string | number): number {
  const instant = typeof start === 'number' ? start : Date.parse(start)
  if (Number.isFinite(instant) && Math.abs(instant) < 8e15) return Math.round(instant)
  throw new Error(
    `Failed to start the clock: start is "${start}". Use an ISO date such as "2030-01-01T00:00:00Z".`,
  )
}

function readVideo({ video = {}, limits = {}, ...options }: SimulatorOptions): VideoSettings {
  return {
    models: options.models ?? videoDefaults.models,
    seconds: { ...videoDefaults.seconds, ...video.seconds },
    size: { ...videoDefaults.size, ...video.size },
    framesPerSecond: { ...videoDefaults.framesPerSecond, ...video.framesPerSecond },
    quality: options.quality ?? videoDefaults.quality,
    caption: options.caption ?? videoDefaults.caption,
    magicPrompts: options.magicPrompts ?? videoDefaults.magicPrompts,
    promptLimitCharacters: limits.promptCharacters ?? videoDefaults.promptLimitCharacters,
    imageLimitBytes: (limits.imageMegabytes ?? videoDefaults.imageLimitBytes / megabyte) * megabyte,
  }
}

function readGuard({ publicUrl, controlOrigins = [] }: SimulatorOptions): {
  hosts: string[]
  origins: string[]
} {
  return { hosts: publicUrl === undefined ? [] : [new URL(publicUrl).hostname], origins: [...controlOrigins] }
}
