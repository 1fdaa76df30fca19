import type { Exchange } from './exchange.ts'
import { asGatewayError } from './replies/errors.ts'
import type { Reply } from './replies/reply.ts'

/** Turns a thrown error into a reply, in the envelope of the operation. No other place does. */
export function refuse(x: Exchange, thrown: unknown): Reply {
  const { requestId } = x.entry
  const error = asGatewayError(thrown)
  if (error.internalError !== undefined) {
    x.entry.internalError = error.internalError
    x.deps.onBug(error.internalError)
  }
  x.entry.hint = error.message
  return (x.route ?? x.related)?.refuse?.(error, x) ?? error.reply(requestId)
}
