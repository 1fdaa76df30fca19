import { BoundedMap } from '../../engine/bounded-map.ts'
import type { GatewayNamespace } from '../core.ts'
import type { Exchange } from '../exchange.ts'
import { abortError } from '../replies/errors.ts'
import type { Reply } from '../replies/reply.ts'

/** An accepted submission with an idempotency key. */
interface Accepted {
  readonly identity: string
  readonly task: string
  readonly reply: Reply
}

/** How many keys of a namespace are remembered. */
const maxKeys = 10_000

const acceptedOf = new WeakMap<GatewayNamespace, BoundedMap<Accepted>>()

/**
 * The response to an earlier submission with the same key, by the same client.
 * @assumed §4 idempotency keys are undocumented; off by default.
 * @throws {GatewayError} 409 if that submission had another body.
 */
export function findAccepted(x: Exchange): Reply | undefined {
  const key = keyOf(x)
  const known = key === undefined ? undefined : acceptedOf.get(x.namespace)?.get(key)
  if (!known || !x.tasks.find(known.task)) return undefined
  if (known.identity !== x.identity)
    throw abortError(409, 'The idempotency key was used for another request', 'idempotency_key_in_use')
  x.entry.task = known.task
  return known.reply
}

/** Remembers the response to a submission that made a task. */
export function rememberAccepted(x: Exchange, reply: Reply): void {
  const key = keyOf(x)
  const { task } = x.entry
  if (key === undefined || task === null) return
  let accepted = acceptedOf.get(x.namespace)
  if (!accepted) acceptedOf.set(x.namespace, (accepted = new BoundedMap(maxKeys)))
  accepted.set(key, { identity: x.identity, task, reply })
}

/** Undefined without one, and if keys are not honoured. */
function keyOf(x: Exchange): string | undefined {
  const { idempotencyKeys = false } = x.core.options
  if (idempotencyKeys === false || x.route?.role !== 'submit') return undefined
  const { header = 'Idempotency-Key' } = idempotencyKeys === true ? {} : idempotencyKeys
  const value = x.header(header.toLowerCase())
  return value === '' ? undefined : `${x.caller.account}\n${x.route.operation}\n${value}`
}
