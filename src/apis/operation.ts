import type { OperationOption, TaskKind } from '../engine/operations/facts.ts'
import { operationFacts, type Operation } from '../engine/operations/operations.ts'
import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import type { Quirks } from '../scenario/vocabulary/types.ts'
import type { NamedTask, Route } from '../gateway/exchange.ts'
import type { DrawingQueue, DrawingSettings } from './drawing/settings.ts'
import type { StoredResponses } from './responses/store.ts'
import type { TextApiSettings } from './text/settings.ts'
import type { VideoSettings } from './video/settings.ts'

/** What operations need besides the request: settings, and what the simulator does with tasks. */
export interface ApiDeps {
  readonly video: VideoSettings
  readonly drawing: DrawingSettings
  /** The queue of drawings, if it is bounded. */
  readonly drawingQueue: DrawingQueue | undefined
  readonly text: TextApiSettings
  readonly responses: StoredResponses
  readonly quirks: Quirks
  /** How long a task is retained after its submission; undefined without a limit. */
  readonly retainedMs: number | undefined
  readonly lifecycles: Readonly<Record<TaskKind, Lifecycle>>
  /** The options that add operations, and whether they are set. */
  readonly options: Readonly<Record<OperationOption, boolean>>
  /** Called with each new task. */
  readonly onSubmit: (task: Task) => void
  /** Called with each task that a client deletes. */
  readonly onDelete: (task: Task) => void
}

/** What rules and the journal know of a request. */
export type Description = ReturnType<NonNullable<Route['describe']>>

/** What an operation does. Its facts, such as its path, are in `engine/operations`. */
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
  /** For an operation that names a task. */
  readonly task?: Pick<NamedTask, 'inBody' | 'unknown' | 'isOwnersOnly'>
}

/** An operation with its behaviour, as the gateway serves it. */
export function defineOperation<Prepared, Input>(
  operation: Operation,
  { task, ...behaviour }: Behaviour<Prepared, Input>,
): Route {
  const { kind, route, aliases, tasks, task: named, access } = operationFacts[operation]
  const words = route.split(' ')
  const result: Route<Prepared, Input> = {
    ...behaviour,
    operation,
    methods: words.slice(0, -1),
    path: words.at(-1)!,
    ...(aliases && { aliases }),
    ...(access === 'public' && { isPublic: true }),
    ...(task && {
      task: {
        ...task,
        ...(named !== 'body' && { parameter: named! }),
        lifecycle: tasks!,
        looks: kind === 'poll',
      },
    }),
  }
  return result as unknown as Route
}
