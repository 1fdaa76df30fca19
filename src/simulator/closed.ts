import { hintHeader, jsonReply, type Reply } from '../gateway/replies/reply.ts'

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
