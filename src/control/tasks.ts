import { once } from '../engine/once.ts'
import {
  count,
  instant,
  instantOf,
  moment,
  type FieldsOf,
  ControlError,
  listAnswer,
  routesFor,
  type ControlRoute,
} from './route.ts'
import * as z from 'zod/mini'
import { optionalText, anyObject, integer } from '../scenario/schema/json-values.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import { phaseOf, type Phase } from '../engine/tasks/lifecycle.ts'
import type { RequestFields } from '../engine/tasks/plan.ts'
import { requestOf, type Task, type TaskStore } from '../engine/tasks/tasks.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import { may, refusing, must, named } from '../scenario/schema/fields.ts'
import { such } from '../scenario/schema/known-names.ts'
import { duration } from '../scenario/schema/values.ts'
import type { ControlCore } from './core.ts'
import { clockOf } from '../gateway/core.ts'

/**
 * A task and its present state.
 *
 * @example
 * const task: TaskSummary = sim.task(await client.submitVideo('a red kite'))
 * task.status // → 'queued'
 * task.timeline.map(({ status }) => status) // → ['queued', 'IN_PROGRESS', 'SUCCESS']
 */
export interface TaskSummary {
  id: string
  /** The operation that created it, such as `video.submit`. */
  operation: string
  /** The kind of task, such as `video`. */
  kind: string
  /** What it makes. */
  makes: 'video' | 'image'
  /** The present status, as its API spells it. */
  status: string
  /** In percent, from 0 to 100. */
  progress: number
  /** Why it failed; empty otherwise. */
  reason: string
  /** Instants in milliseconds since 1970; 0 for the future. */
  submittedAt: number
  startedAt: number
  finishedAt: number
  /** The number of polls. */
  pollCount: number
  /** The parsed request. */
  request: RequestFields
  /** Each state with the instant at which it begins and what it means, the future included, and the reason of a failure. */
  timeline: { status: string; phase: Phase; from: number; reason?: string }[]
  /** The statuses of a success and of a failure, as its API spells them. */
  ends: { success: string; failure: string }
}

/** A list whose items are created on demand. */
type CountedList<Item> = Iterable<Item> & { readonly count: number; at(index: number): Item }

/** The tasks of namespaces, and their costs. */
export class TaskControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /** The tasks, oldest first. `last` limits the list to the latest ones. */
  list(namespace: string, filter: { last?: number } = {}): TaskSummary[] {
    return [...this.each(namespace, filter)]
  }

  /** Like `list`, but creates each summary on demand, from the present state. */
  each(namespace: string, { last }: { last?: number } = {}): CountedList<TaskSummary> {
    const { namespaces, tasks: store } = this.#core
    // Reading must not create a namespace: mistyped names would fill the table.
    if (!namespaces.has(namespace)) return Object.assign([], { count: 0, at: () => undefined as never })
    const now = clockOf(this.#core, namespace).now()
    const all = store.list(namespace)
    const tasks = last === undefined ? all : all.slice(Math.max(0, all.length - last))
    // A change replaces the object of a task, except for its number of polls, which is copied here.
    const pollCounts = tasks.map((task) => task.pollCount)
    const at = (index: number): TaskSummary => summarize(this.#core, tasks[index]!, now, pollCounts[index]!)
    return {
      count: tasks.length,
      at,
      *[Symbol.iterator]() {
        for (const index of tasks.keys()) yield at(index)
      },
    }
  }

  /** @throws {ControlError} for an unknown task. */
  get(namespace: string, id: string): TaskSummary {
    const { tasks } = this.#core
    const now = clockOf(this.#core, namespace).now()
    return summarize(this.#core, findTask(tasks, namespace, id), now)
  }

  /** @throws {ControlError} for an unknown task, {TransitionError} for a state that the task can't reach. */
  transition(namespace: string, id: string, change: { status: string; reason?: string }): TaskSummary {
    const { tasks } = this.#core
    const { status: state, ...reason } = change
    const task = findTask(tasks, namespace, id)
    tasks.transition(task, { at: clockOf(this.#core, namespace).now(), state, ...reason, cause: 'control' })
    return this.get(namespace, id)
  }

  /**
   * Changes when and how a task will end. It can be changed again until then.
   * @param change `at` is the instant, or null for never; `afterMs` counts from now.
   * @throws {ControlError} for an unknown task, {TransitionError} for a task that has ended, and for a state that is not
   * final.
   */
  endAt(
    namespace: string,
    id: string,
    change: { status: string; reason?: string } & ({ at: number | null } | { afterMs: number }),
  ): TaskSummary {
    const { tasks } = this.#core
    const now = clockOf(this.#core, namespace).now()
    const ends = 'at' in change ? change.at : now + change.afterMs
    const { status: state, reason } = change
    const task = findTask(tasks, namespace, id)
    tasks.endAt(task, { at: now, ends, state, ...(reason !== undefined && { reason }) })
    return this.get(namespace, id)
  }

  /** The usage and the remaining balance of each key. */
  usage(namespace: string): KeyUsage[] {
    const { namespaces, billing } = this.#core
    return namespaces.has(namespace) ? billing.usage(namespace, clockOf(this.#core, namespace).now()) : []
  }
}

/** @throws {ControlError} for an unknown task. */
export function findTask(tasks: TaskStore, namespace: string, id: string): Task {
  const task = tasks.find(id)
  if (task?.record.namespace === namespace) return task
  throw new ControlError(
    404,
    `There is no task ${JSON.stringify(id.slice(0, 80))} in namespace "${namespace}". ` +
      `GET /_greenroom/tasks?namespace=${namespace} lists them.`,
  )
}

function summarize(
  { tasks, kindOf }: Pick<ControlCore, 'tasks' | 'kindOf'>,
  task: Task,
  now: number,
  pollCount = task.pollCount,
): TaskSummary {
  const { record, timeline, lifecycle } = task
  const view = tasks.view(task, now)
  return {
    id: record.id,
    operation: record.operation,
    kind: record.lifecycle,
    makes: kindOf(task).makes(task),
    status: view.state,
    progress: view.progress,
    reason: view.reason,
    submittedAt: record.submittedAt,
    startedAt: view.startedAt,
    finishedAt: view.finishedAt,
    pollCount,
    request: requestOf(task),
    timeline: timeline.spans.map(({ state, from }) => ({
      status: state,
      phase: phaseOf(lifecycle, state),
      from,
      ...(state === lifecycle.roles.failure && timeline.reason !== '' && { reason: timeline.reason }),
    })),
    ends: { success: lifecycle.roles.success, failure: lifecycle.roles.failure },
  }
}

const endExample = '{"status": "FAILURE", "in": "30s", "reason": "content policy"}'
const transitionExample = '{"status": "FAILURE", "reason": "content policy"}'

export const taskSchema = once(() =>
  named(
    'Task',
    z.object({
      id: z.string(),
      operation: must(z.string(), 'The operation that created it.', such.submit),
      kind: must(z.string(), 'The kind of task.', 'video'),
      makes: z.enum(['video', 'image']),
      status: must(z.string(), 'The present status, as its API spells it.'),
      progress: must(integer, 'In percent.'),
      reason: must(z.string(), 'Why it failed; empty otherwise.'),
      submittedAt: must(instant, 'In milliseconds since 1970, as all times; 0 for the future.'),
      startedAt: instant,
      finishedAt: instant,
      pollCount: integer,
      request: anyObject as z.ZodMiniType as z.ZodMiniType<RequestFields>,
      timeline: must(
        z.array(
          z.object({
            status: z.string(),
            phase: z.enum(['waiting', 'working', 'done', 'failed']),
            from: z.number(),
            reason: z.exactOptional(z.string()),
          }),
        ),
        'Each status with the instant at which it begins and its phase, the future included.',
      ),
      ends: must(
        z.object({ success: z.string(), failure: z.string() }),
        'The statuses of a success and of a failure.',
      ),
    } satisfies FieldsOf<TaskSummary>),
    'A task and its present state.',
  ),
)

export const usageSchema = once(() =>
  named(
    'KeyUsage',
    z.object({
      key: z.string(),
      tasks: integer,
      seconds: z.number(),
      tokens: z.object({ input: z.number(), output: z.number() }),
      spent: must(z.number(), 'In dollars, as `reserved` and `balance`.'),
      reserved: z.number(),
      balance: z.nullable(z.number()),
    } satisfies FieldsOf<KeyUsage>),
    'What a key has used.',
  ),
)

const route = routesFor<TaskControl>()

export const taskRoutes: readonly ControlRoute<TaskControl>[] = [
  route(
    'GET /tasks',
    'the tasks, oldest first; ?last=',
    () => ({
      query: z.object({ last: may(count, 'Only this many of the latest.') }),
      answer: { json: z.array(taskSchema()) },
    }),
    (tasks, { namespace, query: { last } }) => {
      const listed = tasks.each(namespace, last === undefined ? {} : { last })
      return listAnswer(listed, listed.count)
    },
  ),
  route(
    'GET /tasks/{id}',
    'one task with its timeline',
    () => ({ answer: { json: taskSchema() } }),
    (tasks, { namespace, params }) => tasks.get(namespace, params['id']!),
  ),
  route(
    'POST /tasks/{id}/transition',
    `put a task into a state: ${transitionExample}`,
    () => ({ body: z.object({ status: z.string(), reason: optionalText }), answer: { json: taskSchema() } }),
    (tasks, { namespace, params, body: { status, reason } }) =>
      tasks.transition(namespace, params['id']!, { status, ...(reason !== undefined && { reason }) }),
  ),
  route(
    'POST /tasks/{id}/end',
    `change when and how a task will end: ${endExample}; {"at": null} is never`,
    () => ({
      body: z
        .object({
          status: z.string(),
          reason: optionalText,
          in: may(duration, 'A duration from now. Give `in` or `at`.', '30s'),
          at: may(z.nullable(moment), 'An ISO date, or null for never.'),
        })
        .check(
          refusing(({ in: after, at }) =>
            (after === undefined) === (at === undefined) ? 'give one of "in" and "at"' : undefined,
          ),
        ),
      answer: { json: taskSchema() },
    }),
    (tasks, { namespace, params, body: { status, reason, in: after, at } }) =>
      tasks.endAt(namespace, params['id']!, {
        status,
        ...(after === undefined
          ? { at: at == null ? null : instantOf(at) }
          : { afterMs: parseDuration(after) }),
        ...(reason !== undefined && { reason }),
      }),
  ),
  route(
    'GET /usage',
    'tasks, seconds, tokens and money by key',
    () => ({ answer: { json: z.array(usageSchema()) } }),
    (tasks, { namespace }) => tasks.usage(namespace),
  ),
]
