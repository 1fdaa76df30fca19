import type { ResultLinks } from '../../gateway/replies/result-links.ts'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Changes } from '../../engine/tasks/changes.ts'
import type { EventLog } from '../../engine/tasks/events.ts'
import type { OpenTasks } from '../../engine/tasks/open-tasks.ts'
import type { Task, TaskStore } from '../../engine/tasks/tasks.ts'
import type { Workers, Workforce } from '../../engine/tasks/workers.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Namespaces } from '../../engine/namespace.ts'
import type { GatewayOptions, Quirks } from '../../scenario/vocabulary/types.ts'
import type { GatewayNamespace, NamedTask, Route } from '../../gateway/exchange.ts'

/** The dependencies of operations: settings, and the simulator's reactions to tasks. */
export interface ApiDeps {
  /** What APIs have in common in one simulator, such as the settings of both video APIs. Each is made once. */
  readonly use: <Value>(shared: Shared<Value>) => Value
  /** The options of the simulator. Each API reads its own. */
  readonly options: GatewayOptions
  readonly engine: EngineParts
  /** Lets tasks wait for each other: no more than some of them are worked on at a time. */
  readonly createWorkers: (crew: Workforce) => Workers
  readonly quirks: Quirks
  /** How long a task is retained after its submission; undefined without a limit. */
  readonly retainedMs: number | undefined
  /** The lifecycle of a kind of tasks, which options may have replaced. */
  readonly lifecycleOf: (kind: string) => Lifecycle
  /** Called with each new task. */
  readonly onSubmit: (task: Task) => void
  /** Called with each task that a client deletes. */
  readonly onDelete: (task: Task) => void
}

/** Makes what operations share in one simulator: settings of its options, a store, a queue. */
export type Shared<Value> = (deps: ApiDeps) => Value

/** The parts of the engine that APIs may follow. */
export interface EngineParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly open: OpenTasks
  readonly events: EventLog
  readonly draws: Draws
  /** The links to results, which may expire. */
  readonly links: ResultLinks
  readonly changes: Changes
}

/** Adds the values that operations share, each of them made on first use. */
export function withShared(deps: Omit<ApiDeps, 'use'>): ApiDeps {
  const made = new Map<Shared<unknown>, unknown>()
  const whole: ApiDeps = {
    ...deps,
    use: <Value>(shared: Shared<Value>): Value => {
      if (!made.has(shared)) made.set(shared, shared(whole))
      return made.get(shared) as Value
    },
  }
  return whole
}

/** What rules and the journal know of a request. */
export type Description = ReturnType<NonNullable<Route['describe']>>

/** What an operation does. */
export interface Behaviour<Prepared, Input> extends Pick<
  Route<Prepared, Input>,
  | 'opensWithoutKey'
  | 'credential'
  | 'refuse'
  | 'malformed'
  | 'prepare'
  | 'parse'
  | 'directives'
  | 'directiveUsage'
  | 'respond'
  | 'describe'
> {
  /** For an operation with a task. */
  readonly task?: Pick<NamedTask, 'inBody' | 'unknown' | 'isOwnersOnly'>
}

/** The facts of an operation with its name, by which rules, journal, verdicts and docs call it, such as `video.poll`. */
export type NamedFacts<Name extends string> = OperationFacts & { readonly name: Name }

/** One operation: its name, its facts, and how a simulator makes what serves it. */
export interface Operation<Name extends string = string> {
  readonly name: Name
  readonly facts: OperationFacts
  readonly createRoute: (deps: ApiDeps) => Route
}

/**
 * Defines an operation: everything about it, in one file.
 *
 * @param facts its name, which survives a change of path, and what is known of it without its code.
 * @param behave returns what it does, by the settings of a simulator.
 */
export function defineOperation<const Name extends string, Prepared, Input>(
  { name, ...facts }: NamedFacts<Name>,
  behave: (deps: ApiDeps) => Behaviour<Prepared, Input>,
): Operation<Name> {
  return { name, facts, createRoute: (deps) => toRoute(name, facts, behave(deps)) }
}

function toRoute<Prepared, Input>(
  operation: string,
  { role, route, aliases, tasks, task: named, access }: OperationFacts,
  { task, ...behaviour }: Behaviour<Prepared, Input>,
): Route {
  const words = route.split(' ')
  const result: Route<Prepared, Input> = {
    ...behaviour,
    operation,
    role,
    ...(tasks !== undefined && { tasks }),
    methods: words.slice(0, -1),
    path: words.at(-1)!,
    ...(aliases && { aliases }),
    ...(access === 'public' && { isPublic: true }),
    ...(task && {
      task: {
        ...task,
        ...(named !== 'body' && { parameter: named! }),
        lifecycle: tasks!,
        looks: role === 'poll',
      },
    }),
  }
  return result as unknown as Route
}
