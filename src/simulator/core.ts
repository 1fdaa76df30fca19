import { apis as shippedApis, shippedOperations } from '../apis/index.ts'
import { type Api, drawingsOf, lifecyclesOf, tableOf } from '../apis/define/api.ts'
import { Activity } from '../engine/clock/activity.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { keyedDraws } from '../engine/random/draws.ts'
import { Changes } from '../engine/tasks/changes.ts'
import { EventLog } from '../engine/tasks/events.ts'
import { OpenTasks } from '../engine/tasks/open-tasks.ts'
import { TaskStore, type Task } from '../engine/tasks/tasks.ts'
import { Workers } from '../engine/tasks/workers.ts'
import { Billing } from '../gateway/accounts/billing.ts'
import { defaultPrice } from '../gateway/accounts/prices.ts'
import { BodyBudget } from '../gateway/bodies/body.ts'
import { maxIdempotencyKeys, maxRetries, type Core, type GatewayNamespace } from '../gateway/core.ts'
import { BoundedMap } from '../engine/bounded-map.ts'
import { subjectOfTask } from '../gateway/matchable.ts'
import type { MessageStore } from '../gateway/messages.ts'
import { quirksOf } from '../gateway/quirks.ts'
import { ResultLinks } from '../gateway/replies/result-links.ts'
import type { MediaSource } from '../media/source.ts'
import { bytesOf, caps } from '../engine/caps.ts'
import { optionDefaults } from '../scenario/vocabulary/defaults.ts'
import { Rules } from '../scenario/rules/rules.ts'
import { Throttles } from '../scenario/throttles/throttles.ts'
import { reportBug, type SimulatorOptions } from './options.ts'
import { readRetention, type ModedClock, readClock, readShard } from './settings.ts'
import { Clock } from '../engine/clock/clock.ts'
import type { ClockSettings } from '../engine/clock/clock-settings.ts'
import { adviceFor } from '../engine/clock/stall.ts'
import { Namespaces, newNamespace } from '../engine/namespace.ts'
import { Journal } from '../gateway/journal.ts'

/** Options without the defaults that depend on how a simulator is used. */
export type CoreOptions = SimulatorOptions & {
  readonly media: MediaSource
  readonly clock: ModedClock
  /** Stores headers and bodies. */
  readonly messages?: MessageStore
}

/**
 * Makes what a simulator consists of. Each part takes only parts that are made above it.
 *
 * @throws {SettingsError} {RuleError} {LifecycleError} {DurationError} {ClockError} for contradictory options.
 */
export function createCore(options: CoreOptions, apis: readonly Api[]): Core {
  const { onWarning = () => {}, limits = {}, resultExpiresAfter } = options
  const operations = apis === shippedApis ? shippedOperations : tableOf(apis)
  const draws = keyedDraws(options.seed ?? optionDefaults.seed)
  const events = new EventLog()
  const tasks = new TaskStore(lifecyclesOf(apis, options), events)
  const open = new OpenTasks(tasks, events)
  const changes = new Changes()
  const activity = new Activity()
  const rules = new Rules(draws, operations, options.rules, changes)
  const throttles = new Throttles(operations, options.throttles, changes)
  const billing = new Billing({
    prices: [...(options.prices ?? []), ...apis.flatMap(({ prices = [] }) => prices), defaultPrice],
    configured: options.prices ?? [],
    discount: options.discount ?? optionDefaults.discount,
    tasks,
    keys: options.keys ?? [],
    changes,
  })
  events.on('task.removed', ({ namespace, id }) => rules.forgetTask(namespace, id))
  events.on('tasks.cleared', ({ namespace }) => {
    for (const counted of [rules, throttles, billing]) counted.forget(namespace)
  })
  const lifetimeMs = resultExpiresAfter === undefined ? undefined : parseDuration(resultExpiresAfter)
  const shared = new Map<unknown, unknown>()
  const core: Core = {
    options,
    quirks: quirksOf(operations.settings, options.profile, options.quirks),
    operations,
    draws,
    events,
    tasks,
    open,
    retention: readRetention(options),
    ...createNamespaces(options, { activity, events, tasks, open, changes, onWarning }),
    changes,
    activity,
    rules,
    throttles,
    billing,
    links: new ResultLinks(lifetimeMs, draws),
    media: options.media,
    messages: options.messages,
    bodyBudget: new BodyBudget(bytesOf(limits.bodiesMegabytes, caps.bodiesBytes)),
    onWarning,
    onBug: options.onWarning ?? reportBug,
    findDrawing: drawingsOf(apis),
    use: <Value>(create: (core: Core) => Value): Value => {
      if (!shared.has(create)) shared.set(create, create(core))
      return shared.get(create) as Value
    },
  }
  for (const { workers, match } of throttles.workforces) {
    const concerns = (task: Task): boolean => match.mismatch(subjectOfTask(task)) === undefined
    new Workers(core, { workers, concerns })
  }
  return core
}

type Surroundings = Pick<Core, 'activity' | 'events' | 'tasks' | 'open' | 'changes' | 'onWarning'>

/** Creates the namespaces of a simulator, each with its own clock. */
function createNamespaces(
  { limits = {}, retention, shard, clock }: SimulatorOptions & { clock: ModedClock },
  around: Surroundings,
): Pick<Core, 'namespaces' | 'createClock'> {
  const { tasks, changes } = around
  const settings = readClock(clock)
  const { rate: _, start: __, ...lasting } = settings
  const createClock: Core['createClock'] = (namespace, resumed) =>
    startClock(namespace, resumed ? { ...lasting, mode: settings.mode, ...resumed } : settings, around)
  const shardTag = readShard(shard)
  const namespaces = new Namespaces<GatewayNamespace>({
    create: (name) => ({
      ...newNamespace(name, createClock(name), changes, shardTag),
      journal: new Journal(limits.journalEntries ?? optionDefaults.limits.journalEntries),
      retries: new BoundedMap(maxRetries),
      firstReplies: new BoundedMap(maxIdempotencyKeys, (key) => changes.note('first', name, key)),
    }),
    canRemove: ({ name }) => tasks.count(name) === 0,
    onRemove: ({ name, clock }) => {
      tasks.clear(name, clock.now())
      changes.note('cleared', name)
      changes.note('clock', name)
    },
    max: limits.namespaces ?? optionDefaults.limits.namespaces,
    ...(retention?.idle !== undefined && {
      idle: { afterMs: parseDuration(retention.idle), activity: ({ journal }) => journal.nextNumber },
    }),
  })
  namespaces.get('default')
  return { namespaces, createClock }
}

/** Starts a clock that reports its moves as events, and its stalls as warnings. */
function startClock(
  namespace: string,
  settings: ClockSettings,
  { activity, events, open, onWarning }: Surroundings,
): Clock {
  const clock: Clock = new Clock({
    ...settings,
    requests: activity,
    nextStep: (now) => open.nextStep(namespace, now),
    onMove: (at) => events.append({ type: 'clock.moved', at, namespace }),
    onManualWait: (why) =>
      onWarning(
        `A client waits in namespace "${namespace}": ${why}. Advance the clock by sim.clock.advance('5s') or ` +
          `POST /_greenroom/clock/advance {"by":"5s"}, or use clock mode real, scaled or auto.`,
      ),
    onStuck: ({ outcome, why, waiting }) => {
      events.append({ type: 'clock.stuck', at: clock.now(), namespace, outcome, why, waiting })
      const advice = adviceFor(outcome)
      onWarning(
        `Time stands still in namespace "${namespace}": ${why}.${advice === undefined ? '' : ` ${advice}`}`,
      )
    },
  })
  return clock
}
