import type { Context, Span } from '@opentelemetry/api'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { TaskStore } from '../../engine/tasks/tasks.ts'
import { version } from '../../version.ts'

export type OpenTelemetry = typeof import('@opentelemetry/api')

/** Beyond this number of open spans, the oldest are dropped: clients may never poll a task to its end. */
const maxOpenSpans = 10_000

/**
 * Creates a span for each task, from its submission to the first response that reports its end. Its events are the states
 * of the task with their virtual times, which may lie outside the span.
 */
export class TaskSpans {
  readonly #api: OpenTelemetry
  readonly #tasks: TaskStore
  readonly #open = new BoundedMap<Span>(maxOpenSpans)

  constructor(api: OpenTelemetry, tasks: TaskStore) {
    this.#api = api
    this.#tasks = tasks
  }

  start(id: string, parent: Context): void {
    const task = this.#tasks.find(id)
    if (!task) return
    const { trace, SpanKind } = this.#api
    const { operation, namespace } = task.record
    const attributes = {
      'greenroom.task.id': id,
      'greenroom.operation': operation,
      'greenroom.namespace': namespace,
    }
    const name = `task ${task.lifecycle.name}`
    const tracer = trace.getTracer('greenroom', version)
    this.#open.set(id, tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent))
  }

  end(id: string): void {
    const span = this.#open.get(id)
    if (!span) return
    this.#open.delete(id)
    const task = this.#tasks.find(id)
    const states = task?.timeline.spans ?? []
    for (const { state, from } of states)
      span.addEvent(state, { 'greenroom.clock.time': new Date(from).toISOString() })
    const last = states.at(-1)?.state
    if (task && last !== undefined) {
      span.setAttribute('greenroom.task.status', last)
      if (last === task.lifecycle.roles.failure)
        span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: task.timeline.reason })
    }
    span.end()
  }
}
