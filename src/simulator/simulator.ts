import { apis } from '../apis/index.ts'
import { attachAll, callbacksOf, kindsOf, routersOf, unservedRequests, type Api } from '../apis/define/api.ts'
import { resolveApis } from '../apis/define/own-apis.ts'
import { otherApis } from '../apis/other-apis.ts'
import { ControlPlane } from '../control/control-plane.ts'
import { Control } from '../control/control.ts'
import type { NodeParts } from '../control/core.ts'
import type { Namespaces } from '../engine/namespace.ts'
import { once } from '../engine/once.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { EventLog } from '../engine/tasks/events.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { Core, GatewayNamespace } from '../gateway/core.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { Gateway } from '../gateway/pipeline.ts'
import { jsonReply, hintHeader, type Reply } from '../gateway/replies/reply.ts'
import { isSafeMethod, type GatewayRequest } from '../gateway/request.ts'
import { NamespaceAudits } from '../judge/audit.ts'
import type { MediaSource } from '../media/source.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import { createCore, type CoreOptions } from './core.ts'
import { readGuard } from './settings.ts'
import type { ApiVersions } from './state/api-versions.ts'
import { Snapshots } from './state/restore.ts'
import { State } from './state/state.ts'
import { TaskClips } from './task-clips.ts'

/** A simulator without a transport. */
export interface Simulator {
  /** Handles a request. Its transport carries the reply out. */
  readonly handle: (incoming: GatewayRequest) => Exchange | Promise<Exchange>
  /** Why no operation serves a target, with a suggestion; undefined if one does. */
  readonly unserved: (method: string, target: string) => string | undefined
  /** The table of what it serves. */
  readonly operations: OperationTable
  /** The fields that the requests of its tasks may have, by their names. */
  readonly requestFields: () => readonly string[]
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
  readonly apiVersions: ApiVersions
  /** Loads what takes real time, such as the writer of texts. Otherwise, the first requests wait for it. */
  readonly load: () => Promise<void>
  /** Resolves when no response is in progress and nothing is being rendered. */
  readonly idle: () => Promise<void>
  /** Resets a namespace, or everything. */
  readonly reset: (namespace?: string) => void
  /** Ends encoders and clocks. Sleepers wake; responses in progress close their connections. */
  readonly close: () => Promise<void>
}

/**
 * Builds a simulator: first its core, then what APIs attach to it, then what handles requests.
 *
 * @param options see {@link SimulatorOptions}; `media` and a clock mode are required. `host` is the host name of a server;
 * `messages` stores headers and bodies; `nodeParts` are parts that only Node has; `shippedApis`
 * are those of greenroom that it serves, by default all.
 * @throws {SettingsError} {RuleError} {LifecycleError} {DurationError} {ClockError} for contradictory options.
 */
export function composeSimulator(
  options: CoreOptions & {
    host?: string
    nodeParts?: NodeParts
    shippedApis?: readonly Api[]
  },
): Simulator {
  const { nodeParts, shippedApis = apis } = options
  const own = resolveApis(options.apis, shippedApis, options)
  const served = own.length === 0 ? shippedApis : [...shippedApis, ...own]
  const core = createCore(options, served)
  const { namespaces, tasks, rules, throttles, events, media, draws, operations } = core
  const kindOf = kindsOf(served)
  const clips = new TaskClips(core, kindOf)
  const attachments = attachAll(served, core)
  const state = new State(core, attachments)
  const apiVersions = apiVersionsOf(served)
  const gateway = new Gateway(core, {
    routers: routersOf(served, options),
    unserved: unservedRequests([...served, otherApis]),
    keeping: state,
  })
  // Looked up for each callback, because interceptors replace the global fetch.
  const { deliver = (request) => fetch(request) } = options
  const callbacks = gateway.createCallbacks(callbacksOf(served), deliver)
  attachments.push({
    close: () => callbacks.close(),
    resume: (task, savedAt) => callbacks.resume(task, savedAt),
    refuse: (record, field, text) => callbacks.refuse(record, field, text),
  })
  const control = new Control({
    ...core,
    kindOf,
    apis: served,
    nodeParts,
    verdicts: new NamespaceAudits(core),
    state: new Snapshots({ ...core, kindOf, state, attachments, apiVersions }),
  })
  const controlPlane = new ControlPlane(control, readGuard(options), core, state)
  let isClosed = false

  return {
    handle: (incoming) => {
      if (isClosed) throw new SimulatorClosed(incoming.method, incoming.target)
      return controlPlane.owns(incoming.target)
        ? controlExchange(incoming, { gateway, controlPlane, namespaces, state })
        : gateway.handle(incoming)
    },
    operations,
    unserved: (method, target) => (controlPlane.owns(target) ? undefined : gateway.unserved(method, target)),
    requestFields: once(() =>
      served.flatMap(({ kinds = [] }) => kinds.flatMap(({ request }) => Object.keys(request().shape))),
    ),
    control,
    namespaces,
    tasks,
    rules,
    throttles,
    events,
    media,
    draws,
    state,
    apiVersions,
    reset: (name) => resetSimulator(core, name),
    idle: () => core.activity.idle(() => media.idle?.()),
    load: async () => void (await Promise.all(served.map(({ load }) => load && core.use(load)))),
    close: async () => {
      isClosed = true
      clips.close()
      for (const attached of attachments) attached.close?.()
      control.events.close()
      for (const { clock } of namespaces.all()) clock.close()
      await media.close()
    },
  }
}

/** The versions of the APIs that have one. */
function apiVersionsOf(apis: readonly Api[]): ApiVersions {
  return Object.fromEntries(
    apis.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
  )
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
  { namespaces, rules, throttles, changes }: Pick<Core, 'namespaces' | 'rules' | 'throttles' | 'changes'>,
  namespace?: string,
): void {
  for (const name of namespace === undefined ? namespaces.all().map((each) => each.name) : [namespace]) {
    rules.removeOf(name)
    namespaces.remove(name)
  }
  if (namespace !== undefined) return
  namespaces.get('default')
  rules.reset()
  throttles.reset()
  changes.everything()
}

/** Thrown when a request reaches a closed simulator. */
export class SimulatorClosed extends Error {
  override name = 'SimulatorClosed'
  /** @param method the method; with the target, it helps to find the client that sent the request. */
  constructor(method: string, target: string) {
    super(
      `Failed to answer ${method} ${target.split('?', 1)[0]!.slice(0, 200)}: the simulator is closed. ` +
        'Close it after the last request, or create another one.',
    )
  }
}

/** The response of transports that outlive their simulator, such as installed MSW handlers. */
export function closedReply({ message }: SimulatorClosed): Reply & { readonly body: string } {
  const reply = jsonReply(503, {
    error: { message, type: 'new_api_error', param: '', code: 'simulator_closed' },
  })
  // Tells clients not to retry: the simulator never comes back.
  const headers = { ...reply.headers, ...hintHeader(message), 'X-Should-Retry': 'false' }
  return { ...reply, headers, body: reply.body as string }
}
