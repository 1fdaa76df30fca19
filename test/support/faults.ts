import type { Exchange } from '../../src/gateway/exchange.ts'
import { drawFor } from '../../src/scenario/faults/fault.ts'
import { applyFault, type Fault } from '../../src/scenario/faults/index.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'
import type { EmbeddedSimulator } from '../../src/index.ts'

/** Applies a fault to every response below a path. Returns a function that stops it. */
export function breakAnswers({ core }: EmbeddedSimulator, path: string, fault: Fault): () => void {
  const open = core as { handle: (incoming: GatewayRequest) => Exchange | Promise<Exchange> }
  const { handle } = open
  const change = (exchange: Exchange): Exchange => {
    const draw = drawFor(core.draws, ['broken'], 'subject', 0)
    exchange.reply = applyFault(exchange.reply, fault, { draw, url: path })
    return exchange
  }
  open.handle = (incoming) => {
    const exchange = handle(incoming)
    if (!incoming.target.startsWith(path)) return exchange
    return exchange instanceof Promise ? exchange.then(change) : change(exchange)
  }
  return () => void (open.handle = handle)
}

/** The result of a call for a client: the response, or the error and its phase. */
export async function outcomeOf(call: () => Promise<Response>): Promise<{
  where: 'fetch' | 'body' | 'nowhere'
  bytes: number
  name?: string
  message?: string
  code?: unknown
}> {
  let bytes = 0
  let where: 'fetch' | 'body' = 'fetch'
  try {
    const response = await call()
    where = 'body'
    if (response.body) for await (const chunk of response.body) bytes += chunk.length
    return { where: 'nowhere', bytes }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: unknown } }
    return { where, bytes, name, message, code: cause?.code }
  }
}
