import { hash128Hex } from '../../engine/random/hash.ts'
import { readPath, valuesAt } from '../../scenario/schema/body-path.ts'
import type { Exchange } from '../exchange.ts'
import { abortError } from '../replies/errors.ts'
import type { Reply } from '../replies/reply.ts'

/**
 * The response to an earlier submission with the same key, by the same client.
 * @assumed §4 idempotency keys are undocumented; off by default.
 * @throws {GatewayError} 409 if that submission had another body.
 */
export function findAccepted(x: Exchange): Reply | undefined {
  const name = nameOf(x)
  const known = name === undefined ? undefined : x.namespace.firstReplies.get(name)
  if (!known || !x.tasks.find(known.task)) return undefined
  if (known.identity !== x.identity)
    throw (
      x.route!.idempotency?.reused() ??
      abortError(409, 'The idempotency key was used for another request', 'idempotency_key_in_use')
    )
  x.entry.task = known.task
  const { status, headers, body } = known
  return { status, headers, body, delayMs: 0 }
}

/** Stores the response to a submission that made a task. */
export function rememberAccepted(x: Exchange, { status, headers, body }: Reply): void {
  const name = nameOf(x)
  const { task } = x.entry
  if (name === undefined || task === null || typeof body !== 'string') return
  const texts = headers as Readonly<Record<string, string>>
  x.namespace.firstReplies.set(name, { identity: x.identity, task, status, headers: texts, body })
  x.core.changes.note('first', x.namespace.name, name)
}

const defaultHeader = 'idempotency-key'

/** A hash of the idempotency key of a submission, also if this gateway does not honour it. */
export function labelIdempotencyKey(x: Exchange): string | undefined {
  if (x.route?.role !== 'submit') return undefined
  const key = honouredKey(x) ?? x.header(defaultHeader)
  return key === '' ? undefined : hash128Hex(`${x.caller.account}\n${key}`).slice(0, 12)
}

/** Undefined without a key, and if keys are not honoured. */
function nameOf(x: Exchange): string | undefined {
  const key = x.route?.role === 'submit' ? honouredKey(x) : undefined
  return key && hash128Hex(`${x.caller.account}\n${x.route!.operation}\n${key}`)
}

function honouredKey(x: Exchange): string | undefined {
  const { idempotencyKeys = false } = x.core.options
  if (x.route?.idempotency) return x.route.idempotency.keyOf(x)
  if (idempotencyKeys === false) return undefined
  if (idempotencyKeys !== true && 'field' in idempotencyKeys) return fieldOf(x, idempotencyKeys.field)
  const { header = defaultHeader } = idempotencyKeys === true ? {} : idempotencyKeys
  return x.header(header.toLowerCase()) || undefined
}

function fieldOf({ body }: Exchange, field: string): string | undefined {
  const [value] = valuesAt(body, readPath(field) ?? [])
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
}
