import type { Context, Span, TextMapGetter } from '@opentelemetry/api'
import { isPromise, type MaybePromise } from '../../engine/maybe-promise.ts'
import type { TaskStore } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { headerOf, type GatewayRequest } from '../../gateway/request.ts'
import { version } from '../../version.ts'
import type { RequestTracer } from './tracing.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'

/** Traces requests with the registered tracer provider; undefined if the API is not installed. */
export function createTracer(tasks: TaskStore): RequestTracer | undefined {
  const api = findApi()
  return api && new SpanTracer(api, tasks)
}

/** Prefers the project's copy, since that one was set up, to the copy that greenroom finds. */
function findApi(): OpenTelemetry | undefined {
  const { createRequire } = globalThis.process.getBuiltinModule('node:module')
  for (const place of [`${globalThis.process.cwd()}/package.json`, import.meta.url]) {
    try {
      return createRequire(place)('@opentelemetry/api') as OpenTelemetry
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

class SpanTracer implements RequestTracer {
  readonly #api: OpenTelemetry
  readonly #taskSpans: TaskSpans

  constructor(api: OpenTelemetry, tasks: TaskStore) {
    this.#api = api
    this.#taskSpans = new TaskSpans(api, tasks)
  }

  trace(
    incoming: GatewayRequest,
    handle: (incoming: GatewayRequest) => MaybePromise<Exchange>,
  ): MaybePromise<Exchange> {
    const { trace, context, SpanKind } = this.#api
    const tracer = trace.getTracer('greenroom', version)
    const attributes = requestAttributes(incoming)
    const span = tracer.startSpan(
      incoming.method,
      { kind: SpanKind.SERVER, attributes },
      this.#parentOf(incoming),
    )
    const inSpan = trace.setSpan(context.active(), span)
    const follow = (x: Exchange): Exchange => this.#follow(x, span, inSpan)
    try {
      const handled = context.with(inSpan, () => handle(incoming))
      if (!isPromise(handled)) return follow(handled)
      return handled.then(follow, (error: unknown) => this.#fail(span, error))
    } catch (error) {
      return this.#fail(span, error)
    }
  }

  /**
   * The parent: the span that `traceparent` names. The active span is used without that header. It is also used if it
   * belongs to the same trace, since it is nearer: that of an instrumented HTTP server, or of a client in this process.
   */
  #parentOf(incoming: GatewayRequest): Context {
    const { context, propagation, trace } = this.#api
    const active = context.active()
    const sent = propagation.extract(active, incoming.headers, headerGetter)
    const isSameTrace = trace.getSpanContext(active)?.traceId === trace.getSpanContext(sent)?.traceId
    return isSameTrace ? active : sent
  }

  #follow(x: Exchange, span: Span, inSpan: Context): Exchange {
    const { route, entry } = x
    if (route) span.updateName(`${x.request.method} ${route.path}`)
    const id = entry.task
    if (route && id !== null && id !== x.task?.id && route.role === 'submit')
      this.#taskSpans.start(id, inSpan)
    x.onSettled = () => {
      span.setAttributes(exchangeAttributes(x))
      const problem = problemOf(x)
      if (problem !== undefined) {
        span.setAttribute('error.type', problem)
        span.setStatus({
          code: this.#api.SpanStatusCode.ERROR,
          ...(entry.hint !== null && { message: entry.hint }),
        })
      }
      span.end()
      if (entry.task !== null && entry.final) this.#taskSpans.end(entry.task)
    }
    return x
  }

  #fail(span: Span, error: unknown): never {
    span.recordException(error as Error)
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    span.end()
    throw error
  }
}

const headerGetter: TextMapGetter<GatewayRequest['headers']> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
}

/** Follows the semantic conventions of HTTP servers. Queries are omitted, since they may contain keys. */
function requestAttributes(incoming: GatewayRequest): Record<string, string | number> {
  // A Host header may contain anything.
  const origin = URL.canParse(incoming.origin) ? incoming.origin : 'http://invalid'
  const { protocol, hostname, port } = new URL(origin)
  const userAgent = headerOf(incoming, 'user-agent')
  return {
    'http.request.method': incoming.method,
    'url.path': incoming.target.split(/[?#]/, 1)[0]!.slice(0, 300),
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    ...(port !== '' && { 'server.port': Number(port) }),
    ...(userAgent !== '' && { 'user_agent.original': userAgent.slice(0, 300) }),
    'greenroom.transport': incoming.transport,
  }
}

function exchangeAttributes({ entry, route }: Exchange): Record<string, string | number | string[]> {
  const { task, fault, hint, reportedStatus, model, rules } = entry
  return {
    ...(route && { 'http.route': route.path, 'greenroom.operation': route.operation }),
    ...(entry.status !== 0 && { 'http.response.status_code': entry.status }),
    'greenroom.namespace': entry.namespace,
    'greenroom.exchange.number': entry.number,
    'greenroom.request.id': entry.requestId,
    'greenroom.clock.time': new Date(entry.at).toISOString(),
    'greenroom.outcome': entry.outcome,
    ...(entry.delayMs > 0 && { 'greenroom.delay_ms': entry.delayMs }),
    ...(task !== null && { 'greenroom.task.id': task }),
    ...(reportedStatus !== null && { 'greenroom.task.status': reportedStatus }),
    ...(model !== null && { 'greenroom.model': model }),
    ...(rules.length > 0 && { 'greenroom.rules': [...rules] }),
    ...(fault !== null && { 'greenroom.fault': fault }),
    ...(hint !== null && { 'greenroom.hint': hint }),
  }
}

/** The value of `error.type`. A refusal of a client's mistake is not an error of the server. */
function problemOf({ entry: { status, fault, outcome } }: Exchange): string | undefined {
  if (status >= 500) return String(status)
  if (fault !== null) return fault
  return outcome === 'failed' || status === 0 ? outcome : undefined
}

type OpenTelemetry = typeof import('@opentelemetry/api')

/** Beyond this number of open spans, the oldest are dropped: clients may never poll a task to its end. */
const maxOpenSpans = 10_000

/**
 * Creates a span for each task, from its submission to the first response that reports its end. Its events are the states
 * of the task with their virtual times, which may lie outside the span.
 */
class TaskSpans {
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
