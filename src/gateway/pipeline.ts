import type { KeyRecord } from '../scenario/vocabulary/types.ts'
import { Callers } from './accounts/keys.ts'
import { DirectiveAdvice } from './directive-advice.ts'
import { Exchange, type GatewayDeps, type GatewayNamespace, type Route } from './exchange.ts'
import type { GatewayRequest, RequestWork } from './request.ts'
import { fillVariables } from './replies/template-values.ts'
import { refuse } from './refuse.ts'
import { preflightReply, requestIds } from './replies/headers.ts'
import { headerList, type Reply } from './replies/reply.ts'
import { Router } from './router.ts'
import { identify, locate, read } from './stages/arrive.ts'
import { keep, record } from './stages/close.ts'
import { admit, distort, open, parse, perform, script, tick } from './stages/turn.ts'
import { explainUnserved } from './unserved.ts'

/** The stages that decide, in order. The first reply ends them. If there is none, `distort` returns the gateway's own. */
const decidingStages: readonly ((x: Exchange) => Reply | void)[] = [admit, parse, script, perform]

/** Takes requests through the stages. Only `read` waits, so the order of turns is the order of all effects. */
export class Gateway {
  readonly #deps: GatewayDeps

  constructor({ routes, keys, strictKeys, ...given }: GatewayOptions) {
    const served = routes.filter((route) => route.broughtBy === undefined)
    const withheld = routes.filter((route) => route.broughtBy !== undefined)
    const directives = routes.flatMap(({ directives = [] }) => directives)
    this.#deps = {
      ...given,
      router: new Router(served, new Router(withheld)),
      callers: new Callers(keys, given.draws, { strict: strictKeys }),
      requestId: requestIds(given.draws),
      directiveAdvice: new DirectiveAdvice(directives, given.onWarning),
    }
  }

  handle(incoming: GatewayRequest): Exchange | Promise<Exchange> {
    if (incoming.method === 'OPTIONS') return this.#preflight(incoming)
    const { rules, throttles } = this.#deps
    // Some patterns need a library that is loaded on first use.
    const loading = rules.loading ?? throttles.loading
    const x = new Exchange(incoming, this.#deps)
    return loading ? loading.then(() => receive(x)) : receive(x)
  }

  /** Wraps a reply that passed no stages, such as one of the control API, for a transport. */
  wrapReply(incoming: GatewayRequest, reply: Reply, namespace: GatewayNamespace): Exchange {
    const x = new Exchange(incoming, this.#deps)
    x.namespace = namespace
    x.now = namespace.clock.now()
    x.reply = reply
    x.headers = headerList(reply.headers)
    return x
  }

  /** Why no operation serves a target, in a sentence that may be empty; undefined if one does. */
  unserved(method: string, target: string): string | undefined {
    return explainUnserved(this.#deps, method, target)
  }

  /** Preflights are not journaled, because browsers send them on their own. */
  #preflight(incoming: GatewayRequest): Exchange {
    const x = this.wrapReply(incoming, preflightReply, this.#deps.namespaces.get('default'))
    x.headers = [
      'X-Oneapi-Request-Id',
      this.#deps.requestId(x.now, `OPTIONS ${incoming.target}`, 0),
      ...x.headers,
    ]
    return x
  }
}

/** The dependencies of a gateway: those of its exchanges, without the ones that it creates itself. */
export interface GatewayOptions extends Omit<
  GatewayDeps,
  'router' | 'callers' | 'requestId' | 'directiveAdvice'
> {
  readonly routes: readonly Route[]
  readonly keys: readonly (string | KeyRecord)[]
  /** Whether `sk-sim-…` is refused if keys are configured. */
  readonly strictKeys: boolean
}

function receive(x: Exchange): Exchange | Promise<Exchange> {
  locate(x)
  identify(x)
  if (x.route?.prepare && !x.refusal) return readAndTakeTurn(x)
  return x.request.work ? takeTurnInOrder(x, x.request.work) : takeTurn(x)
}

/** A clock that moves by itself pauses from the first byte of the body until the turn is over. */
async function readAndTakeTurn(x: Exchange): Promise<Exchange> {
  const { activity } = x.deps
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
  await work.takeTurn(x.clock)
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
  x.messages?.lose('reset')
  x.settle('aborted', 0)
  crashes!.strike(crash, x)
  return noResponse()
}

/** A promise of its own: one that never settles retains whatever waits for it. */
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
