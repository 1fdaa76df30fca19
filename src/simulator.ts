import { latestInstant, type ClockSettings } from './engine/clock-settings.ts'
import { Clock } from './engine/clock.ts'
import { keyedDraws, type Draws } from './engine/draws.ts'
import { parseDuration } from './engine/duration.ts'
import { EventLog } from './engine/events.ts'
import { replaceLifecycle } from './engine/lifecycle.ts'
import { Namespaces, newNamespace } from './engine/namespace.ts'
import { TaskStore, type Task } from './engine/tasks.ts'
import { ControlPlane } from './control/control-plane.ts'
import type { GuardSettings } from './control/guard.ts'
import { SimulatorControl } from './simulator-control.ts'
import { Gateway } from './gateway/gateway.ts'
import type { Exchange, GatewayNamespace } from './gateway/parts.ts'
import type { Incoming } from './gateway/incoming.ts'
import { Journal } from './gateway/journal.ts'
import { quirksOf } from './gateway/quirks.ts'
import { headerList } from './gateway/reply.ts'
import type { MediaSource } from './media/source.ts'
import type { SimulatorOptions } from './options.ts'
import { Rules } from './scenario/rules.ts'
import { manageRoutes } from './surfaces/openai-video/manage.ts'
import { openaiVideoRoutes } from './surfaces/openai-video/routes.ts'
import { videoLifecycle } from './surfaces/video/lifecycle.ts'
import { videoRoutes } from './surfaces/video/routes.ts'
import {
  checkVideoSettings,
  SettingsError,
  videoDefaults,
  type VideoSettings,
} from './surfaces/video/settings.ts'
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
 * @param options see {@link SimulatorOptions}; `media` and a clock mode must be given. `host` is the name it
 * listens on, if it does.
 * @throws {SettingsError} {RuleError} {LifecycleError} {DurationError} {ClockError} for options that contradict
 * themselves.
 */
export function composeSimulator(
  options: SimulatorOptions & { media: MediaSource; clock: { mode: ClockSettings['mode'] }; host?: string },
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
  const moved = (namespace: string, at: number): void => events.append({ type: 'clock.moved', at, namespace })
  const namespaces = new Namespaces<GatewayNamespace>({
    create: (name) => ({
      ...newNamespace(name, new Clock({ ...clockSettings, onMove: (at) => moved(name, at) })),
      journal: new Journal(limits.journalEntries ?? 1_000),
    }),
    canGo: ({ name }) => tasks.count(name) === 0,
    onGone: ({ name }) => rules.forget(name),
    most: limits.namespaces ?? 10_000,
  })
  namespaces.get('default')

  const settings = readVideo(options)
  checkVideoSettings(settings)
  const quirks = quirksOf(options.profile, options.quirks)
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
      failTask(tasks, task, clock, error.message)
    })
  }

  const gateway = new Gateway({
    routes: [
      ...videoRoutes(settings, lifecycle, quirks, onSubmit),
      ...openaiVideoRoutes(settings, lifecycle, onSubmit),
      ...(options.video?.listAndDelete ? manageRoutes((task) => media.forget?.(clipOf(task))) : []),
    ],
    namespaces,
    tasks,
    rules,
    draws,
    media,
    keys: options.keys ?? [],
    strictKeys: options.strictKeys ?? false,
    expireTasks: expiryOf(options, tasks, media),
    ignoredFields: options.identity?.ignore ?? [],
    bodyLimitBytes: (limits.bodyMegabytes ?? 32) * megabyte,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    onBug: onWarning,
  })
  const control = new SimulatorControl({ namespaces, tasks, rules, events, media, draws })
  const controlPlane = new ControlPlane(control, readGuard(options), onWarning)

  return {
    handle: (incoming) => {
      if (closed) throw new Error('Failed to answer: the simulator is closed.')
      return controlPlane.owns(incoming.target)
        ? handleControl(controlPlane, incoming, namespaces)
        : gateway.handle(incoming)
    },
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

/** Forgets tasks past their retention, with their films. */
function expiryOf(
  { retention }: SimulatorOptions,
  tasks: TaskStore,
  media: MediaSource,
): (namespace: string, now: number) => void {
  if (!retention) return () => {}
  const { tasks: count, age } = retention
  const limits = {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: parseDuration(age) }),
  }
  return (namespace, now) => {
    for (const task of tasks.expire(namespace, now, limits)) media.forget?.(clipOf(task))
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
function failTask(tasks: TaskStore, rendered: Task, clock: Clock, reason: string): void {
  const task = tasks.find(rendered.record.id)
  // After a reset the same request gets the same id; a render of before is none of the new task's.
  if (task?.record !== rendered.record || tasks.view(task, clock.now()).final) return
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
  if (instant >= 0 && instant <= latestInstant) return Math.round(instant)
  throw new SettingsError(
    `clock.start is "${start}". Use an ISO date from 1970 to 9999, such as "2030-01-01T00:00:00Z".`,
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
    pace: options.pace,
    magicPrompts: options.magicPrompts ?? videoDefaults.magicPrompts,
    promptLimitCharacters: limits.promptCharacters ?? videoDefaults.promptLimitCharacters,
    imageLimitBytes: (limits.imageMegabytes ?? videoDefaults.imageLimitBytes / megabyte) * megabyte,
  }
}

function readGuard({
  publicUrl,
  host,
  controlOrigins = [],
}: SimulatorOptions & { host?: string }): GuardSettings {
  const hosts = [host, publicUrl === undefined ? undefined : readUrl(publicUrl).hostname]
  return { hosts: hosts.filter((name) => name !== undefined), origins: controlOrigins }
}

function readUrl(publicUrl: string): URL {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  throw new SettingsError(
    `publicUrl is "${publicUrl}". Use an address without query, such as "https://gateway.example/api".`,
  )
}
