import { bytesOf, caps } from '../engine/caps.ts'
import { Callers } from './accounts/keys.ts'
import { DirectiveAdvice } from './directive-advice.ts'
import { Exchange, refuse, type GatewayCore, type Route } from './exchange.ts'
import type { Core, GatewayNamespace, Persistence, UnservedRequests } from './core.ts'
import { isSafeMethod, type GatewayRequest, type RequestWork } from './request.ts'
import { fillVariables } from './replies/template-values.ts'
import { preflightReply, requestIds } from './replies/headers.ts'
import { headerList, type Reply } from './replies/reply.ts'
import { Callbacks, lazyRoutes } from './callbacks/callbacks.ts'
import type { Deliver } from './callbacks/deliver.ts'
import { LazyRouter, type Routers } from './lazy-router.ts'
import { identify, locate, read } from './stages/arrive.ts'
import { keep, record } from './stages/close.ts'
import { admit, distort, open, parse, perform, script, tick } from './stages/turn.ts'
import { explainUnserved } from './unserved.ts'
import { resetUnanswered } from '../engine/connection-end.ts'

/** The stages that decide, in order. Only `script` may reply, which ends them; `perform` leaves the gateway's own reply for `distort`. */
const decidingStages: readonly ((x: Exchange) => Reply | void)[] = [admit, parse, script, perform]

/** Takes requests through the stages. All waiting is before the turn, so the order of turns is the order of all effects. */
export class Gateway {
  readonly #core: GatewayCore

  /** @param given `unserved` is about requests that no route serves; `keeping` persists changes. */
  constructor(
    core: Core,
    given: { routers: Routers<Route>; unserved: UnservedRequests; keeping: Persistence },
  ) {
    const { unserved, keeping, routers } = given
    const { options, draws, onWarning } = core
    const { keys = [], strictKeys = false, identity = [], limits = {}, publicUrl } = options
    const router = new LazyRouter(core, routers)
    this.#core = {
      ...core,
      unserved,
      keeping,
      router,
      callers: new Callers(keys, draws, { strict: strictKeys }),
      requestId: requestIds(draws),
      directiveAdvice: new DirectiveAdvice(
        () => router.routes.flatMap(({ directives = [] }) => directives),
        onWarning,
      ),
      ignoredFields: identity,
      bodyLimitBytes: bytesOf(limits.bodyMegabytes, caps.bodyBytes),
      publicUrl: publicUrl?.replace(/\/+$/, ''),
    }
  }

  handle(incoming: GatewayRequest): Exchange | Promise<Exchange> {
    if (incoming.method === 'OPTIONS') return this.#preflight(incoming)
    return receive(new Exchange(incoming, this.#core))
  }

  /** Wraps a reply that passed no stages, such as one of the control API, for a transport. */
  wrapReply(incoming: GatewayRequest, reply: Reply, namespace: GatewayNamespace): Exchange {
    const x = new Exchange(incoming, this.#core)
    x.namespace = namespace
    x.now = namespace.clock.now()
    x.reply = reply
    x.headers = headerList(reply.headers)
    return x
  }

  /** Sends the changes of tasks to clients. @param operations those that report tasks, by the kind of tasks. */
  createCallbacks(operations: Parameters<typeof lazyRoutes>[1], send: Deliver): Callbacks {
    return new Callbacks(this.#core, { routeOf: lazyRoutes(this.#core, operations), send })
  }

  /** Why no operation serves a target, in a sentence that may be empty; undefined if one does. */
  unserved(method: string, target: string): string | undefined {
    return explainUnserved(this.#core, method, target)
  }

  /** Preflights are not journaled, because browsers send them on their own. */
  #preflight(incoming: GatewayRequest): Exchange {
    const x = this.wrapReply(incoming, preflightReply, this.#core.namespaces.get('default'))
    x.headers = [
      'X-Oneapi-Request-Id',
      this.#core.requestId(x.now, `OPTIONS ${incoming.target}`, 0),
      ...x.headers,
    ]
    return x
  }
}

function receive(x: Exchange): Exchange | Promise<Exchange> {
  locate(x)
  identify(x)
  if (x.route?.prepare && !x.refusal && !isSafeMethod(x.request)) return readAndTakeTurn(x)
  return x.request.work ? takeTurnInOrder(x, x.request.work) : takeTurn(x)
}

/** A clock that moves by itself pauses from the first byte of the body until the turn is over. */
async function readAndTakeTurn(x: Exchange): Promise<Exchange> {
  const { activity } = x.core
  const { work } = x.request
  const release = x.clock.auto.whileReading()
  activity.begin()
  try {
    await read(x)
    if (!work) return takeTurn(x)
  } finally {
    release()
    activity.end()
  }
  return takeTurnInOrder(x, work)
}

/** Requests that processes send at one instant take their turns in the order of sending, whenever they arrive. */
async function takeTurnInOrder(x: Exchange, work: RequestWork): Promise<Exchange> {
  if (await work.takeTurn(x.clock)) x.place = work.place()
  return takeTurn(x)
}

/** One synchronous turn: no `await` below this line. A request at which the client crashes gets no response. */
function takeTurn(x: Exchange): Exchange | Promise<Exchange> {
  const { crashes } = x.namespace
  const crash = crashes?.arrive(x)
  if (crash === 'lost') return noResponse()
  tick(x)
  open(x)
  if (crash) x.entry.fault = 'crash'
  x.reply = decideReply(x)
  keep(x)
  record(x)
  if (!crash) return x
  x.messages?.lose(resetUnanswered)
  x.settle('aborted', 0)
  crashes!.strike(crash, x)
  return noResponse()
}

/** A new promise each time: a shared one that never settles would retain everything that waits for it. */
const noResponse = (): Promise<never> => new Promise(() => {})

function decideReply(x: Exchange): Reply {
  try {
    for (const stage of decidingStages) {
      const reply = stage(x)
      if (reply) return reply
    }
    return distort(x)
  } catch (error) {
    fillVariables(x)
    return refuse(x, error)
  }
}
