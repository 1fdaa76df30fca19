import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { TaskStore } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { GatewayRequest } from '../../gateway/request.ts'

type Handle = (incoming: GatewayRequest) => MaybePromise<Exchange>

/** Handles each request in a span. */
export interface RequestTracer {
  readonly trace: (incoming: GatewayRequest, handle: Handle) => MaybePromise<Exchange>
}

export interface TracerParts {
  /** Undefined if the API of OpenTelemetry is not installed. */
  readonly tracer: (tasks: TaskStore) => Promise<RequestTracer | undefined>
}

/** The key under which each copy of the API of OpenTelemetry 1.x finds registered providers. */
const registered = Symbol.for('opentelemetry.js.api.1')

function hasTracerProvider(): boolean {
  return (globalThis as { [registered]?: { trace?: unknown } })[registered]?.trace !== undefined
}

/**
 * Handles requests in spans while a tracer provider is registered in this process. Loads nothing until then.
 * @param parts missing in a page.
 */
export function withTracing(
  handle: Handle,
  parts: TracerParts | undefined,
  { tasks, onWarning }: { tasks: TaskStore; onWarning: (message: string) => void },
): Handle {
  if (!parts) return handle
  let loading: Promise<void> | undefined
  let tracer: RequestTracer | undefined
  let isMissing = false
  const start = async (): Promise<void> => {
    tracer = await parts.tracer(tasks)
    isMissing = tracer === undefined
    if (isMissing)
      onWarning(
        'OpenTelemetry is set up, but @opentelemetry/api was not found, so requests have no spans. Install it: ' +
          'npm install @opentelemetry/api.',
      )
  }
  return (incoming) => {
    // A preflight has no journal entry, so its span would never end.
    if (isMissing || !hasTracerProvider() || incoming.method === 'OPTIONS') return handle(incoming)
    if (tracer) return tracer.trace(incoming, handle)
    loading ??= start()
    return loading.then(() => (tracer ? tracer.trace(incoming, handle) : handle(incoming)))
  }
}
