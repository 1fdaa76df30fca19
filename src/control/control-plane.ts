import { caps } from '../engine/caps.ts'
import { ClockError } from '../engine/clock/clock-settings.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { DurationError } from '../engine/clock/duration.ts'
import { twoTurns } from '../engine/clock/timers/steps.ts'
import { invalidNamespace, namespaceName, NamespacesFull } from '../engine/namespace.ts'
import { TransitionError } from '../engine/tasks/tasks.ts'
import { readBody } from '../gateway/bodies/body.ts'
import { parseObject, type JsonObject } from '../gateway/bodies/json.ts'
import { GatewayError } from '../gateway/replies/errors.ts'
import {
  controlPrefix,
  headerOf,
  isSafeMethod,
  readTarget,
  type GatewayRequest,
  type Target,
} from '../gateway/request.ts'
import type { Core, Persistence } from '../gateway/core.ts'
import { jsonReply, mediaReply, type PacedPiece, type Reply } from '../gateway/replies/reply.ts'
import { Router } from '../gateway/router.ts'
import { RuleError } from '../scenario/rules/rules.ts'
import { StateError } from './state.ts'
import { controlRoutes, healthPath, indexRoute, type Control } from './control.ts'
import { guardControl, lacksToken, sessionPath, sessionRoute, type GuardSettings } from './guard.ts'
import {
  ControlError,
  EventStream,
  JsonInPieces,
  JsonLater,
  MediaAnswer,
  readCall,
  TextDocument,
  type ControlRoute,
} from './route.ts'

function createRouter(guard: GuardSettings): Router<ControlRoute<Control>> {
  const session = { ...sessionRoute(guard), path: controlPrefix + sessionPath }
  return new Router<ControlRoute<Control>>([indexRoute, ...controlRoutes, session])
}

/** Handles `/_greenroom/*`. It is not part of the gateway, so neither rules nor the journal apply. */
export class ControlPlane {
  readonly #control: Control
  readonly #guard: GuardSettings
  /** Made for the first call. Most simulators of tests get none. */
  #router: Router<ControlRoute<Control>> | undefined
  readonly #core: Pick<Core, 'bodyBudget' | 'onBug'>
  readonly #keeping: Pick<Persistence, 'obstacle'>

  /** @param keeping says why changes can't be stored. */
  constructor(
    control: Control,
    guard: GuardSettings,
    core: Pick<Core, 'bodyBudget' | 'onBug'>,
    keeping: Pick<Persistence, 'obstacle'>,
  ) {
    this.#control = control
    this.#core = core
    this.#keeping = keeping
    this.#guard = guard
  }

  /** The namespace whose clock delays a call; `default` if it names none. */
  namespaceOf(incoming: GatewayRequest): string {
    const address = readTarget(incoming.target)
    try {
      return namespaceOfCall(address, new URLSearchParams(address.query), incoming)
    } catch {
      return 'default'
    }
  }

  /** Whether a target belongs to the control API. */
  owns(target: string): boolean {
    if (!target.includes(controlPrefix)) return false
    const { path } = readTarget(target)
    return path === controlPrefix || path.startsWith(`${controlPrefix}/`)
  }

  async handle(incoming: GatewayRequest): Promise<Reply> {
    const headers = corsHeaders(incoming, this.#guard)
    try {
      const { path } = readTarget(incoming.target)
      const isHealthCheck =
        path === controlPrefix + healthPath && isSafeMethod(incoming) && lacksToken(incoming, this.#guard)
      guardControl(incoming, this.#guard, {
        needsToken: path !== controlPrefix + sessionPath && !isHealthCheck,
      })
      if (incoming.method === 'OPTIONS') return { status: 204, headers, body: null, delayMs: 0 }
      // Health checks of containers and load balancers have no token. They only learn that the server runs.
      if (isHealthCheck) return withHeaders(jsonReply(200, { ready: true }), headers)
      return withHeaders(answerOf(await this.#call(incoming), incoming), headers)
    } catch (error) {
      const callerLeft = incoming.left?.().aborted === true
      return withHeaders(callerLeft ? refusal(499, 'The caller left.') : this.#refusal(error), headers)
    }
  }

  async #call(incoming: GatewayRequest): Promise<unknown> {
    const address = readTarget(incoming.target)
    const path = address.path.length > 1 ? address.path.replace(/\/$/, '') : address.path
    const method = incoming.method === 'HEAD' ? 'GET' : incoming.method
    const router = (this.#router ??= createRouter(this.#guard))
    const found = router.find(method, path)
    if (!found) throw unknownCall(incoming.method, path, router.methodsOf(path))
    const query = new URLSearchParams(address.query)
    const namespace = namespaceOfCall(address, query, incoming)
    const { maxBodyBytes = caps.controlBodyBytes } = found.route
    const held = this.#core.bodyBudget.open()
    let body: JsonObject = {}
    let text = ''
    try {
      const bytes = await readBody(incoming, maxBodyBytes, held)
      if (found.route.form().takesText) text = new TextDecoder().decode(bytes)
      else body = readObject(bytes, found.route)
    } finally {
      held.release()
    }
    const read = readCall(found.route, { query, body })
    // A large body has blocked the event loop for a while. Requests that have arrived are read in the first turn, and
    // handled before the second ends.
    if (maxBodyBytes > caps.controlBodyBytes) await twoTurns()
    // A refused call will be retried, so it must not move time.
    const problem = isSafeMethod(incoming) ? undefined : this.#keeping.obstacle()
    if (problem !== undefined) throw new ControlError(503, problem)
    if (found.route.waits) incoming.work?.pause()
    return found.route.call(this.#control, {
      namespace,
      named: namedBy(address, query, incoming),
      params: found.params,
      ...read,
      text,
      header: (name) => headerOf(incoming, name),
      left: incoming.left,
    })
  }

  #refusal(error: unknown): Reply {
    if (error instanceof ControlError) return refusal(error.status, error.message)
    const isMistake =
      error instanceof DurationError || error instanceof RuleError || error instanceof StateError
    if (isMistake) return refusal(400, error.message)
    if (error instanceof GatewayError) return refusal(error.status, error.message)
    if (error instanceof ClockError || error instanceof TransitionError) return refusal(409, error.message)
    if (error instanceof NamespacesFull) return refusal(503, error.message)
    this.#core.onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    return refusal(500, 'The control API failed on this call.')
  }
}

/** CORS headers for pages of allowed origins; empty for all others. */
function corsHeaders(incoming: GatewayRequest, { origins }: GuardSettings): Record<string, string> {
  const origin = headerOf(incoming, 'origin')
  if (!origins.includes(origin)) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET,POST,PUT,DELETE',
    'Access-Control-Allow-Headers': 'authorization,content-type,last-event-id,x-greenroom-namespace',
    Vary: 'Origin',
  }
}

function withHeaders(reply: Reply, headers: Record<string, string>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function refusal(status: number, message: string): Reply {
  return jsonReply(status, { error: { message } })
}

/** A task can look different after a reset, so browsers must revalidate. */
const mediaHeaders = { 'Cache-Control': 'private, no-cache', 'X-Content-Type-Options': 'nosniff' }
const mediaFailed = {
  status: 502,
  body: JSON.stringify({ error: { message: 'It could not be made. The header X-Greenroom-Hint says why.' } }),
}

/** Proxies must neither cache nor buffer the events. */
const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}

function answerOf(value: unknown, incoming: GatewayRequest): Reply {
  if (value instanceof MediaAnswer)
    return mediaReply(value.spec, incoming, { headers: mediaHeaders, failed: mediaFailed })
  if (value instanceof TextDocument) {
    const { text, headers } = value
    return { status: 200, headers, body: text, delayMs: 0 }
  }
  if (value instanceof JsonLater) {
    const pieces = [{ text: '', atMs: 0, later: value.text }]
    return { ...jsonReply(200, null), body: { pieces, onLeave: value.onLeave } }
  }
  if (value instanceof EventStream) {
    const { cutOff, open } = value
    return { status: 200, headers: streamHeaders, body: { cutOff, open }, delayMs: 0 }
  }
  if (!(value instanceof JsonInPieces)) return jsonReply(200, value)
  return { ...jsonReply(200, null), body: { pieces: apart(value.pieces) } }
}

/** Encodes the parts of a long text separately. */
function* apart(texts: Iterable<string>): Generator<PacedPiece> {
  const encoder = new TextEncoder()
  for (const text of texts) yield { text: '', bytes: encoder.encode(text), atMs: 0, part: 'opening' }
}

/** Reads an object. Ignores the content type, because curl sends that of a form by default. */
function readObject(
  bytes: Uint8Array,
  { maxBodyValues = caps.jsonValues, does }: ControlRoute<Control>,
): JsonObject {
  if (bytes.length === 0) return {}
  const body = parseObject(bytes, maxBodyValues)
  if (!body) throw new ControlError(400, `The body is not a JSON object. This call can ${does}.`)
  return body
}

function namespaceOfCall(address: Target, query: URLSearchParams, incoming: GatewayRequest): string {
  const name = namedBy(address, query, incoming) ?? 'default'
  if (namespaceName.test(name)) return name
  const isInQuery = address.namespace === undefined && query.has('namespace')
  const source = isInQuery
    ? '?namespace='
    : address.namespace === undefined
      ? 'x-greenroom-namespace'
      : 'The path'
  throw new ControlError(400, `${invalidNamespace(source, name)}.`)
}

function namedBy(address: Target, query: URLSearchParams, incoming: GatewayRequest): string | undefined {
  return (
    address.namespace ?? query.get('namespace') ?? (headerOf(incoming, 'x-greenroom-namespace') || undefined)
  )
}

function unknownCall(method: string, path: string, served: readonly string[]): ControlError {
  if (served.length > 0) {
    return new ControlError(405, `${path} doesn't take ${method}. Use ${served.join(', ')}.`)
  }
  const known = controlRoutes.map((route) => route.path)
  const hint = didYouMean(path, known)
  return new ControlError(
    404,
    `There is no ${method} ${path.slice(0, 100)}.${hint} GET ${controlPrefix} lists the calls.`,
  )
}
