import { Activity } from '../engine/clock/activity.ts'
import { Changes } from '../engine/tasks/changes.ts'
import type { ClockSettings } from '../engine/clock/clock-settings.ts'
import { Clock } from '../engine/clock/clock.ts'
import { keyedDraws, type Draws } from '../engine/random/draws.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { EventLog } from '../engine/tasks/events.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { Namespaces } from '../engine/namespace.ts'
import { OpenTasks } from '../engine/tasks/open-tasks.ts'
import { TaskStore, type Task } from '../engine/tasks/tasks.ts'
import { Workers } from '../engine/tasks/workers.ts'
import { ControlPlane } from '../control/control-plane.ts'
import { createNamespaces } from './namespaces.ts'
import { SimulatorClosed } from './closed.ts'
import { withTracing, type TracerParts } from './tracing/tracing.ts'
import { TaskClips } from './task-clips.ts'
import { Verdicts } from '../judge/namespace-verdicts.ts'
import { Control } from '../control/control.ts'
import type { NodeParts } from '../control/deps.ts'
import { BodyBudget } from '../gateway/bodies/body.ts'
import { Billing } from '../gateway/accounts/billing.ts'
import { Gateway } from '../gateway/pipeline.ts'
import type { MessageStore } from '../gateway/messages.ts'
import { subjectOfTask } from '../gateway/matchable.ts'
import type { Exchange, GatewayNamespace } from '../gateway/exchange.ts'
import { isSafeMethod, type GatewayRequest } from '../gateway/request.ts'
import { Traffic } from '../gateway/traffic.ts'
import { jsonReply } from '../gateway/replies/reply.ts'
import { defaultPrices } from '../gateway/accounts/prices.ts'
import { ResultLinks } from '../gateway/replies/result-links.ts'
import { quirksOf } from '../gateway/quirks.ts'
import type { MediaSource } from '../media/source.ts'
import { defaultLimits, ignoredFields, type SimulatorOptions } from './options.ts'
import type { ClockOptions } from '../scenario/vocabulary/types.ts'
import { Throttles } from '../scenario/throttles/throttles.ts'
import { Rules } from '../scenario/rules/rules.ts'
import { Snapshots } from './state/restore.ts'
import { State } from './state/state.ts'
import { reportBug } from './report-bug.ts'
import { readClock, readGuard, readRetention } from './settings.ts'
import { apis } from '../apis/index.ts'
import { attachAll, createRoutes, kindsOf, lifecyclesOf, tableOf, type Api } from '../apis/define/api.ts'
import { otherApis } from '../apis/other-apis.ts'
import { withShared } from '../apis/define/operation.ts'
import { textSettings } from '../apis/text/settings.ts'
import { writerOf } from '../apis/text/prepare.ts'

/** A simulator without a transport. */
export interface Simulator {
  /** Handles a request. Its transport carries the reply out. */
  readonly handle: (incoming: GatewayRequest) => Exchange | Promise<Exchange>
  /** Why no operation serves a target, with a suggestion; undefined if one does. */
  readonly unserved: (method: string, target: string) => string | undefined
  /** The table of what it serves. */
  readonly operations: OperationTable
  readonly control: Control
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Throttles
  readonly events: EventLog
  readonly media: MediaSource
  readonly draws: Draws
  /** All values that survive a restart, for the store. */
  readonly state: State
  /** Loads the text writer, which takes real time. Otherwise, the first text waits for it. */
  readonly loadTexts: () => Promise<void>
  /** Resolves when no response is in progress and nothing is being rendered. */
  readonly idle: () => Promise<void>
  /** Resets a namespace, or everything. */
  readonly reset: (namespace?: string) => void
  /** Ends encoders and clocks. Sleepers wake; responses in progress close their connections. */
  readonly close: () => Promise<void>
}

/**
 * Builds a simulator from its parts.
 *
 * @param options see {@link SimulatorOptions}; `media` and a clock mode are required. `host` is the host name of a server;
 * `messages` stores headers and bodies; `nodeParts` are parts that only Node has; `apis` are the APIs that it serves, by
 * default all.
 * @throws {SettingsError} {RuleError} {LifecycleError} {DurationError} {ClockError} for contradictory options.
 */
export function composeSimulator(
  options: SimulatorOptions & {
    media: MediaSource
    clock: ClockOptions & { mode: ClockSettings['mode'] }
    host?: string
    messages?: MessageStore
    nodeParts?: NodeParts & TracerParts
    apis?: readonly Api[]
  },
): Simulator {
  const { media, messages, nodeParts, limits = {}, onWarning = () => {} } = options
  const { onWarning: onBug = reportBug } = options
  const served = options.apis ?? apis
  const operations = tableOf(served)
  const draws = keyedDraws(options.seed ?? 1)
  const events = new EventLog()
  const tasks = new TaskStore(lifecyclesOf(served, options), events)
  const kindOf = kindsOf(served)
  const open = new OpenTasks(tasks, events)
  const changes = new Changes()
  const activity = new Activity()
  const traffic = new Traffic()
  const rules = new Rules(draws, operations, options.rules, changes)
  const throttles = new Throttles(operations, options.throttles, changes)
  const billing = new Billing({
    prices: [...(options.prices ?? []), ...defaultPrices],
    discount: options.discount ?? 1,
    tasks,
    keys: options.keys ?? [],
    changes,
  })
  const forget = (namespace: string): void => {
    rules.forget(namespace)
    throttles.forget(namespace)
    billing.forget(namespace)
    for (const attached of attachments) attached.forget?.(namespace)
    verdicts.forget(namespace)
  }
  events.subscribe((event) => {
    if (event.type === 'task.removed') rules.forgetTask(event.namespace, event.id)
  })
  const clockSettings = readClock(options.clock)
  const { namespaces, newClock } = createNamespaces(options, {
    clockSettings,
    activity,
    events,
    tasks,
    open,
    changes,
    forget,
    onWarning,
  })

  const verdicts = new Verdicts(namespaces)
  const quirks = quirksOf(options.profile, options.quirks)
  let closed = false
  const clips = new TaskClips({ kindOf, media, tasks, activity, onWarning, isClosed: () => closed })
  const onSubmit = (task: Task): void => clips.prefetch(task, namespaces.get(task.record.namespace).clock)
  const forgetClips = (task: Task): void => clips.forget(task)
  const retention = readRetention(options)
  const expireTasks = (namespace: string, now: number): void => {
    if (retention) for (const task of tasks.expire(namespace, now, retention)) clips.forget(task)
  }
  const publicUrl = options.publicUrl?.replace(/\/+$/, '')
  const { resultExpiresAfter } = options
  const lifetimeMs = resultExpiresAfter === undefined ? undefined : parseDuration(resultExpiresAfter)
  const links = new ResultLinks(lifetimeMs, draws)
  const nowIn = (name: string): number => namespaces.get(name).clock.now()
  const workersParts = { tasks, open, events, now: nowIn }
  for (const { workers, match } of throttles.workforces) {
    const concerns = (task: Task): boolean => match.mismatch(subjectOfTask(task)) === undefined
    new Workers(workersParts, { workers, concerns })
  }
  const apiDeps = withShared({
    options,
    engine: { namespaces, tasks, open, events, draws, links, changes },
    createWorkers: (crew) => new Workers(workersParts, crew),
    quirks,
    retainedMs: retention?.ageMs,
    lifecycleOf: (kind) => tasks.lifecycle(kind),
    onSubmit,
    onDelete: forgetClips,
  })
  const attachments = attachAll(served, apiDeps)
  const bodyRoom = new BodyBudget((limits.bodiesMegabytes ?? defaultLimits.bodiesMegabytes) * 1024 * 1024)
  const keeping = { obstacle: () => state.obstacle(), keep: () => state.keep() }
  const gateway = new Gateway({
    otherApis: [...served.flatMap(({ instead = [] }) => instead), ...otherApis],
    routes: createRoutes(served, apiDeps, options),
    namespaces,
    tasks,
    open,
    rules,
    throttles,
    draws,
    links,
    media,
    billing,
    keys: options.keys ?? [],
    strictKeys: options.strictKeys ?? false,
    expireTasks,
    changes,
    keeping,
    activity,
    traffic,
    messages,
    ignoredFields: ignoredFields(options),
    bodyRoom,
    bodyLimitBytes: (limits.bodyMegabytes ?? defaultLimits.bodyMegabytes) * 1024 * 1024,
    publicUrl,
    onWarning,
    onBug,
  })
  const clockOf = (namespace: string): Clock => {
    const { clock } = namespaces.get(namespace)
    clock.catchUp()
    state.noteTime(namespace)
    expireTasks(namespace, clock.now())
    return clock
  }
  const clear = (namespace: string): void => control.clear(namespace, { tasks: true })
  const state: State = new State({
    namespaces,
    tasks,
    rules,
    throttles,
    billing,
    attachments,
    changes,
    events,
    open,
    clockSettings,
    newClock,
    clear,
  })
  const snapshots = new Snapshots({
    operations,
    namespaces,
    tasks,
    kindOf,
    rules,
    throttles,
    draws,
    state,
    clockOf,
    clear,
    attachments,
  })
  const control = new Control({
    operations,
    namespaces,
    tasks,
    kindOf,
    events,
    media,
    rules,
    draws,
    billing,
    traffic,
    activity,
    nodeParts,
    state: snapshots,
    verdicts,
    messages,
    options,
    clockOf,
    forget,
  })
  const controlPlane = new ControlPlane(control, readGuard(options), { bodyRoom, keeping, onBug })
  const handle = withTracing((incoming) => gateway.handle(incoming), nodeParts, { tasks, onWarning })

  return {
    handle: (incoming) => {
      if (closed) throw new SimulatorClosed(incoming.method, incoming.target)
      return controlPlane.owns(incoming.target)
        ? controlExchange(incoming, { gateway, controlPlane, namespaces, state })
        : handle(incoming)
    },
    operations,
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
    loadTexts: async () => void (await writerOf(apiDeps.use(textSettings))),
    close: async () => {
      closed = true
      for (const attached of attachments) attached.close?.()
      control.events.close()
      for (const { clock } of namespaces.all()) clock.close()
      await media.close()
    },
  }
}

/** Handles a control call. Its changes are stored before the response leaves. */
async function controlExchange(
  incoming: GatewayRequest,
  {
    controlPlane,
    namespaces,
    state,
    gateway,
  }: { gateway: Gateway; controlPlane: ControlPlane; namespaces: Namespaces<GatewayNamespace>; state: State },
): Promise<Exchange> {
  const answer = await controlPlane.handle(incoming)
  const problem = state.keep()
  const reply =
    problem === undefined || isSafeMethod(incoming) || answer.status >= 400
      ? answer
      : jsonReply(503, { error: { message: problem } })
  const name = controlPlane.namespaceOf(incoming)
  return gateway.wrapReply(incoming, reply, namespaces.get(namespaces.has(name) ? name : 'default'))
}

/**
 * Resets a namespace, or the whole simulator: no tasks, no exchanges, no added rules, and a new clock. Sleeping clients
 * wake; a response in progress closes its connection.
 */
function resetSimulator(
  parts: {
    readonly namespaces: Namespaces<GatewayNamespace>
    readonly rules: Rules
    readonly throttles: Throttles
    readonly state: State
  },
  namespace?: string,
): void {
  const { namespaces, rules, throttles, state } = parts
  for (const name of namespace === undefined ? namespaces.all().map((each) => each.name) : [namespace]) {
    rules.removeOf(name)
    namespaces.remove(name)
  }
  if (namespace !== undefined) return
  namespaces.get('default')
  rules.reset()
  throttles.reset()
  state.everythingChanged()
}
