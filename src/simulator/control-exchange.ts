import type { ControlPlane } from '../control/control-plane.ts'
import type { Namespaces } from '../engine/namespace.ts'
import { isSafeMethod, type GatewayRequest } from '../gateway/request.ts'
import type { Exchange, GatewayNamespace } from '../gateway/exchange.ts'
import type { Gateway } from '../gateway/pipeline.ts'
import { jsonReply } from '../gateway/replies/reply.ts'
import type { State } from './state/state.ts'

/** Answers a control call as doors want it. What it changed is kept before anybody is told that it did. */
export async function controlExchange(
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
