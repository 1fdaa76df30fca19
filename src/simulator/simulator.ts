import { Activity } from '../engine/clock/activity.ts'
import { Changes } from '../engine/tasks/changes.ts'
import type { ClockSettings, Stuck } from '../engine/clock/clock-settings.ts'
import { absentAdvice } from '../engine/clock/stall.ts'
import { Clock } from '../engine/clock/clock.ts'
import { keyedDraws, type Draws } from '../engine/random/draws.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { EventLog } from '../engine/tasks/events.ts'
import { replaceLifecycle, type Lifecycle, type LifecycleDefinition } from '../engine/tasks/lifecycle.ts'
import { Namespaces, newNamespace } from '../engine/namespace.ts'
import { OpenTasks } from '../engine/tasks/open-tasks.ts'
import { TaskStore, type Task } from '../engine/tasks/tasks.ts'
import { Workers } from '../engine/tasks/workers.ts'
import { ControlPlane } from '../control/control-plane.ts'
import { SimulatorClosed } from './closed.ts'
import { controlExchange } from './control-exchange.ts'
import { SimulatorControl } from './control.ts'
import { BodyBudget } from '../gateway/bodies/body.ts'
import { Billing } from '../gateway/accounts/billing.ts'
import { RetrySchedule } from '../gateway/retry-schedule.ts'
import { Gateway } from '../gateway/pipeline.ts'
import { subjectOfTask } from '../gateway/matchable.ts'
import type { Exchange, GatewayNamespace } from '../gateway/exchange.ts'
import type { GatewayRequest } from '../gateway/request.ts'
import { Journal } from '../gateway/journal.ts'
import { defaultPrices } from '../gateway/accounts/prices.ts'
import { quirksOf } from '../gateway/quirks.ts'
import { Rates } from '../gateway/accounts/rates.ts'
import type { MediaSource } from '../media/source.ts'
import type { ClipSpec } from '../media/spec.ts'
import { defaultLimits, ignoredFields, type SimulatorOptions } from './options.ts'
import type { ClockOptions } from '../scenario/vocabulary/types.ts'
import { Throttles } from '../scenario/throttles/throttles.ts'
import { Rules } from '../scenario/rules/rules.ts'
import { State } from './state/state.ts'
import { reportBug } from './report-bug.ts'
import { resetSimulator } from './reset.ts'
import { readClock, readDrawing, readGuard, readShard, readText, readVideo } from './settings.ts'
import { clipsOf } from '../apis/drawing/composition.ts'
import { Hooks } from '../apis/drawing/hooks.ts'
import { drawingLifecycle } from '../apis/drawing/lifecycle.ts'
import { mayReport } from '../apis/drawing/settings.ts'
import { isDrawing } from '../apis/drawing/result.ts'
import { createOperations } from '../apis/operations.ts'
import { StoredResponses } from '../apis/responses/store.ts'
import { writerOf } from '../apis/text/prepare.ts'
import { videoLifecycle } from '../apis/video/lifecycle.ts'
import { clipsToMake } from '../apis/video/task.ts'

/** A simulator without a way in; doors give it one. */
export interface Simulator {
  /** Decides a request. The door that brought it carries the answer out. */
  readonly handle: (incoming: GatewayRequest) => Exchange | Promise<Exchange>
  /** Why nobody serves a target: a sentence that names what was meant, if it can be told. Undefined where somebody does. */
  readonly unserved: (method: string, target: string) => string | undefined
  readonly control: SimulatorControl
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Throttles
  readonly events: EventLog
  readonly media: MediaSource
  readonly draws: Draws
  /** All that must be known to go on, for whoever keeps it. */
  readonly state: State
  /** Loads what texts are written with, which takes real time once: the first text waits for it otherwise. */
  readonly loadTexts: () => Promise<void>
  /** Resolves when no response is in progress and nothing is being rendered. */
  readonly idle: () => Promise<void>
  /** Puts a namespace, or everything, back to its beginning. */
  readonly reset: (namespace?: string) => void
  /** Ends encoders and clocks. Sleepers wake; responses that are still due close their connections. */
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
  options: SimulatorOptions & {
    media: MediaSource
    clock: ClockOptions & { mode: ClockSettings['mode'] }
    host?: string
  },
): Simulator {
  const { media, limits = {}, onWarning = () => {} } = options
  const { onWarning: onBug = reportBug } = options
  const draws = keyedDraws(options.seed ?? 1)
  const events = new EventLog()
  const video = lifecycleOf(videoLifecycle, options.video?.lifecycle)
  const drawing = lifecycleOf(drawingLifecycle, options.drawing?.lifecycle)
  const tasks = new TaskStore([video, drawing], events)
  const open = new OpenTasks(tasks, events)
  const changes = new Changes()
  const activity = new Activity()
  const rules = new Rules(draws, options.rules, changes)
  const throttles = new Throttles(options.throttles, changes)
  const billing = new Billing({
    prices: [...(options.prices ?? []), ...defaultPrices],
    discount: options.discount ?? 1,
    tasks,
    keys: options.keys ?? [],
    changes,
  })
  const rates = new Rates(limits.rate, changes)
  const responses = new StoredResponses(changes)
  const forget = (namespace: string): void => {
    rules.forget(namespace)
    throttles.forget(namespace)
    billing.forget(namespace)
    rates.forget(namespace)
    responses.forget(namespace)
  }
  events.subscribe((event) => {
    if (event.type === 'task.removed') rules.forgetTask(event.namespace, event.id)
  })
  const clockSettings = readClock(options.clock)
  const shardTag = readShard(options.shard)
  const moved = (namespace: string, at: number): void => events.append({ type: 'clock.moved', at, namespace })
  const stuck = (namespace: string, { outcome, why, waiting }: Stuck): void => {
    const at = namespaces.get(namespace).clock.now()
    events.append({ type: 'clock.stuck', at, namespace, outcome, why, waiting })
    const advice = outcome === 'absent' ? ` ${absentAdvice}` : ''
    onWarning(`Time stands still in namespace "${namespace}": ${why}.${advice}`)
  }
  const manualWait = (namespace: string, why: string): void =>
    onWarning(
      `A client waits in namespace "${namespace}": ${why}. Advance the clock by sim.clock.advance('5s') or ` +
        `POST /_greenroom/clock/advance {"by":"5s"}, or use clock mode real, scaled or auto.`,
    )
  const newClock = (name: string, settings: ClockSettings): Clock =>
    new Clock({
      ...settings,
      requests: activity,
      onMove: (at) => moved(name, at),
      onManualWait: (why) => manualWait(name, why),
      onStuck: (standstill) => stuck(name, standstill),
    })
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
    ...(options.retention?.idle !== undefined && {
      idle: {
        afterMs: parseDuration(options.retention.idle),
        activity: ({ journal }) => journal.nextNumber,
      },
    }),
  })
  namespaces.get('default')

  const settings = readVideo(options)
  const quirks = quirksOf(options.profile, options.quirks)
  const onSubmit = (task: Task): void => {
    const { clock } = namespaces.get(task.record.namespace)
    if (clock.mode === 'real' || clock.mode === 'scaled' || clock.mode === 'auto') prefetch(task, clock)
  }
  let closed = false
  const prefetch = (task: Task, clock: Clock): void => {
    const [film] = filmsOf(task)
    if (!film || !task.timeline.spans.some(({ state }) => state === task.lifecycle.roles.success)) return
    // A clock that moves by itself doesn't wait for it, and no outcome depends on it: the download would fail.
    const isUnseen = clock.mode === 'auto'
    const work = media.prefetch(film)
    void (isUnseen ? work : activity.track(work)).catch((error: Error) => {
      if (closed || isUnseen) return
      onWarning(error.message)
      failTask(tasks, task, clock, error.message)
    })
  }

  const forgetFilms = (task: Task): void => {
    for (const film of filmsOf(task)) media.forget?.(film)
  }
  const expireTasks = expiryOf(options, tasks, forgetFilms)
  const textSettings = readText(options)
  const publicUrl = options.publicUrl?.replace(/\/+$/, '')
  const hooks = new Hooks({ namespaces, tasks, open, draws }, events)
  const nowIn = (name: string): number => namespaces.get(name).clock.now()
  const workersParts = { tasks, open, events, now: nowIn }
  for (const { workers, match } of throttles.workforces) {
    const concerns = (task: Task): boolean => match.mismatch(subjectOfTask(task)) === undefined
    new Workers(workersParts, { workers, concerns })
  }
  const line = options.drawing?.queue
  const queue = line && {
    ...line,
    workers: new Workers(workersParts, { workers: line.running, concerns: isDrawing }),
  }
  const drawingSettings = readDrawing(options, settings)
  const bodyRoom = new BodyBudget((limits.bodiesMegabytes ?? defaultLimits.bodiesMegabytes) * 1024 * 1024)
  const keeping = { obstacle: () => state.obstacle(), keep: () => state.keep() }
  const gateway = new Gateway({
    routes: createOperations({
      video: settings,
      drawing: drawingSettings,
      drawingQueue: queue,
      text: textSettings,
      responses,
      quirks,
      lifecycles: { video, drawing },
      options: {
        'video.listAndDelete': options.video?.listAndDelete ?? false,
        'drawing.proxyCalls': options.drawing?.proxyCalls ?? false,
      },
      onSubmit,
      onDelete: forgetFilms,
    }),
    namespaces,
    tasks,
    open,
    rules,
    throttles,
    draws,
    media,
    billing,
    rates,
    keys: options.keys ?? [],
    strictKeys: options.strictKeys ?? false,
    expireTasks,
    changes,
    keeping,
    activity,
    ignoredFields: ignoredFields(options),
    bodyRoom,
    bodyLimitBytes: (limits.bodyMegabytes ?? defaultLimits.bodyMegabytes) * 1024 * 1024,
    publicUrl,
    onWarning,
    onBug,
  })
  const control: SimulatorControl = new SimulatorControl({
    rules,
    namespaces,
    tasks,
    events,
    media,
    draws,
    expireTasks,
    billing,
    forget,
    throttles,
    state: () => state,
    mayReport: (address) => mayReport(address, drawingSettings.notifyHook),
  })
  const state = new State({
    namespaces,
    tasks,
    rules,
    throttles,
    billing,
    rates,
    responses,
    changes,
    events,
    open,
    hooks,
    clockSettings,
    newClock,
    clear: (namespace) => control.clear(namespace, { tasks: true }),
  })
  const controlPlane = new ControlPlane(control, readGuard(options), { bodyRoom, keeping, onBug })

  return {
    handle: (incoming) => {
      if (closed) throw new SimulatorClosed(incoming.method, incoming.target)
      return controlPlane.owns(incoming.target)
        ? controlExchange(incoming, { gateway, controlPlane, namespaces, state })
        : gateway.handle(incoming)
    },
    unserved: (method, target) => (controlPlane.owns(target) ? undefined : gateway.unserved(method, target)),
    control,
    namespaces,
    tasks,
    rules,
    throttles,
    events,
    media,
    draws,
    state,
    reset: (name) => resetSimulator({ namespaces, rules, throttles, state }, name),
    idle: () => activity.idle(() => media.idle?.()),
    loadTexts: async () => void (await writerOf(textSettings)),
    close: async () => {
      closed = true
      hooks.close()
      for (const { clock } of namespaces.all()) clock.close()
      await media.close()
    },
  }
}

/** The documented lifecycle, or a user's in its place. */
function lifecycleOf(documented: Lifecycle, own: LifecycleDefinition | undefined): Lifecycle {
  return own ? replaceLifecycle(documented, own) : documented
}

/** The films that a task may be asked for. */
function filmsOf(task: Task): ClipSpec[] {
  return isDrawing(task) ? clipsOf(task) : clipsToMake(task)
}

/** Forgets tasks past their retention, with their films. */
function expiryOf(
  { retention }: SimulatorOptions,
  tasks: TaskStore,
  forget: (task: Task) => void,
): (namespace: string, now: number) => void {
  if (!retention) return () => {}
  const { tasks: count, age } = retention
  const limits = {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: parseDuration(age) }),
  }
  return (namespace, now) => {
    for (const task of tasks.expire(namespace, now, limits)) forget(task)
  }
}

/** A render that fails before the task would have succeeded is the task's failure; later it is the download's. */
function failTask(tasks: TaskStore, rendered: Task, clock: Clock, reason: string): void {
  const task = tasks.find(rendered.id)
  // After a reset the same request gets the same id; a render of before is none of the new task's.
  if (task?.serial !== rendered.serial || tasks.view(task, clock.now()).final) return
  tasks.transition(task, { at: clock.now(), state: task.lifecycle.roles.failure, reason, cause: 'render' })
}
