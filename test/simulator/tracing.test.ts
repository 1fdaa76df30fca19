import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator } from '../../src/index.ts'
import { withTracing } from '../../src/simulator/tracing/tracing.ts'
import { describeTransports } from '../support/transports.ts'
import { authorization, pollVideo, submitVideo } from '../support/video.ts'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

beforeAll(() => provider.register())

beforeEach(() => exporter.reset())

afterAll(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
  propagation.disable()
})

const spans = (): ReadableSpan[] => exporter.getFinishedSpans()
const named = (name: string): ReadableSpan[] => spans().filter((span) => span.name === name)
const callOf =
  (sim: EmbeddedSimulator) =>
  (path: string, init?: RequestInit): Promise<Response> =>
    sim.fetch(`http://gateway.example${path}`, init)

/** Reads the whole response: its span ends with it. */
async function read(response: Promise<Response>): Promise<void> {
  await (await response).arrayBuffer()
}

describeTransports((open) => {
  it('makes a server span of each request, by the semantic conventions', async () => {
    await using transport = await open({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
    const id = await submitVideo(transport)
    await pollVideo(transport, id)
    const [poll] = named('GET /v1/video/generations/{task_id}')
    expect(poll).toMatchObject({
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/video/generations/{task_id}',
        'http.response.status_code': 200,
        'url.path': expect.stringContaining(`/v1/video/generations/${id}`),
        'url.scheme': new URL(transport.url).protocol.slice(0, -1),
        'server.address': new URL(transport.url).hostname,
        'greenroom.operation': 'video.poll',
        'greenroom.namespace': 'default',
        'greenroom.exchange.number': 2,
        'greenroom.task.id': id,
        'greenroom.task.status': 'queued',
        'greenroom.clock.time': '2030-01-01T00:00:00.000Z',
        'greenroom.outcome': 'completed',
      },
    })
    expect(poll!.instrumentationScope.name).toBe('greenroom')
  })

  it('continues the trace of traceparent', async () => {
    await using transport = await open()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { authorization, traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    await read(transport.call('/v1/models', { headers }))
    const [span] = named('GET /v1/models')
    expect(span!.spanContext().traceId).toBe(traceId)
    expect(span!.parentSpanContext!.spanId).toBe('b7ad6b7169203331')
  })

  it('has the rule, the delay and the status of an injected error', async () => {
    await using transport = await open({
      rules: [{ id: 'busy', match: { op: 'models.list' }, delay: '2s', respond: { status: 503 } }],
    })
    await read(transport.call('/v1/models', { headers: { authorization } }))
    expect(named('GET /v1/models')[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'http.response.status_code': 503,
        'error.type': '503',
        'greenroom.rules': ['busy'],
        'greenroom.delay_ms': 2000,
      },
    })
  })

  it('has a span of each task, from its submission to the response that reports its end', async () => {
    await using transport = await open({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
    const id = await submitVideo(transport, {
      prompt: '[[queued 10s]] [[render 20s]] [[fail: no kites]] a kite',
    })
    await pollVideo(transport, id)
    await transport.sim.clock.advance('10s')
    await pollVideo(transport, id)
    expect(named('task video')).toEqual([])
    await transport.sim.clock.advance('1h')
    await pollVideo(transport, id)
    await pollVideo(transport, id)
    const [task, ...more] = named('task video')
    expect(more).toEqual([])
    expect(task).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.ERROR, message: 'no kites' },
      attributes: {
        'greenroom.task.id': id,
        'greenroom.operation': 'video.submit',
        'greenroom.task.status': 'FAILURE',
      },
    })
    expect(task!.events.map(({ name, attributes }) => [name, attributes!['greenroom.clock.time']])).toEqual([
      ['queued', '2030-01-01T00:00:00.000Z'],
      ['IN_PROGRESS', '2030-01-01T00:00:10.000Z'],
      ['FAILURE', '2030-01-01T00:00:30.000Z'],
    ])
    const [submission] = named('POST /v1/video/generations')
    expect(task!.parentSpanContext!.spanId).toBe(submission!.spanContext().spanId)
  })
})

it('names the fault of a lost response as the type of the error', async () => {
  await using sim = createSimulator()
  sim.next('models.list', { fault: 'reset' })
  await expect(callOf(sim)('/v1/models', { headers: { authorization } })).rejects.toThrow()
  const [span] = named('GET /v1/models')
  expect(span).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'reset', 'greenroom.fault': 'reset' },
  })
  expect(span!.attributes).not.toHaveProperty('http.response.status_code')
})

it('has the hint of a refusal, which is no error of the server', async () => {
  await using sim = createSimulator()
  await read(callOf(sim)('/v1/modles', { headers: { authorization } }))
  expect(named('GET')[0]).toMatchObject({
    status: { code: SpanStatusCode.UNSET },
    attributes: { 'http.response.status_code': 404, 'greenroom.hint': expect.stringContaining('/v1/models') },
  })
})

it('belongs to the active span of a client in the same process', async () => {
  await using sim = createSimulator()
  const client = trace.getTracer('test').startSpan('client')
  await context.with(trace.setSpan(context.active(), client), () =>
    read(callOf(sim)('/v1/models', { headers: { authorization } })),
  )
  client.end()
  expect(named('GET /v1/models')[0]!.parentSpanContext!.spanId).toBe(client.spanContext().spanId)
})

it('has no keys, no queries, and no spans of control calls and preflights', async () => {
  await using sim = createSimulator()
  const call = callOf(sim)
  await read(call('/v1beta/models?key=sk-secret-of-mine'))
  await read(call('/_greenroom/health'))
  await read(call('/v1/models', { method: 'OPTIONS' }))
  expect(spans()).toHaveLength(1)
  expect(JSON.stringify(spans()[0]!.attributes)).not.toContain('secret')
})

it('survives hosts that are no hosts', async () => {
  await using sim = createSimulator()
  const exchange = await sim.core.handle({
    transport: 'socket',
    method: 'GET',
    target: '/v1/models',
    headers: {},
    origin: 'http://[not a host',
  })
  exchange.settle('completed', 0)
  expect(named('GET /v1/models')[0]!.attributes['server.address']).toBe('invalid')
})

it('loads nothing before a provider is registered, and warns once if the API is not installed', async () => {
  await using sim = createSimulator()
  const { core } = sim
  const warnings: string[] = []
  let loads = 0
  const tracer = async (): Promise<undefined> => void loads++
  const parts = { tasks: core.tasks, onWarning: (message: string) => void warnings.push(message) }
  const handle = withTracing(core.handle, { tracer }, parts)
  const send = async (): Promise<number> => {
    const request = { method: 'GET', target: '/v1/models', headers: {}, origin: 'http://a.example' }
    return (await handle({ transport: 'direct', ...request })).reply.status
  }
  trace.disable()
  try {
    expect([await send(), loads]).toEqual([401, 0])
  } finally {
    trace.setGlobalTracerProvider(provider)
  }
  expect([await send(), await send(), loads]).toEqual([401, 401, 1])
  expect(warnings).toEqual([expect.stringContaining('npm install @opentelemetry/api')])
})

it('makes no spans once no provider is registered any more', async () => {
  await using sim = createSimulator()
  const call = callOf(sim)
  await read(call('/v1/models'))
  trace.disable()
  try {
    await read(call('/v1/models'))
    expect(spans()).toHaveLength(1)
  } finally {
    trace.setGlobalTracerProvider(provider)
  }
})
