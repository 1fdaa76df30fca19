import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { findFault } from '../../scenario/faults/index.ts'
import { Exchange, refuse, type GatewayCore, type Route } from '../exchange.ts'
import type { Reply } from '../replies/reply.ts'
import { distort, open, script } from '../stages/turn.ts'
import type { CallbackMessage } from './plan.ts'

/** What a further message is: the same again, the first one of the task again, or a false one. */
type CopyKind = 'same' | 'first' | 'false'

/** A further delivery, which no rule decides about. */
export interface CallbackCopy {
  readonly kind: CopyKind
  /** The callback in addition to which it is sent. */
  readonly of: Exchange
  /** The earlier callback that is sent again, with its signature. */
  readonly replayed?: Exchange | undefined
}

/** What a callback is about. */
export interface Callback {
  readonly route: Route
  readonly task: Task
  readonly url: string
  /** The beginning of links. */
  readonly origin: string
  readonly message: CallbackMessage
}

/**
 * Takes a callback through the stages of an exchange. Its reply is the request that the receiver gets.
 *
 * @param copy set for a further delivery.
 */
export function createCallback(
  core: GatewayCore,
  { route, task, url, origin, message }: Callback,
  copy?: CallbackCopy,
): Exchange {
  const x = new Exchange(
    { transport: 'callback', method: 'POST', target: url, headers: {}, origin },
    { ...core, publicUrl: undefined },
  )
  x.route = route
  x.path = url
  x.namespace = core.namespaces.get(task.record.namespace)
  x.caller = core.callers.ofAccount(task.key ?? '', route.keys)
  x.task = task
  x.message = message
  x.now = x.clock.now()
  // The reply shows the instant of the change, whenever it is sent.
  x.viewedAt = message.at
  const view = core.tasks.view(task, message.at)
  x.view = copy?.kind === 'false' ? falseView(task, view) : view
  x.identity = `${route.operation} ${task.id} ${message.id}${copy ? ` ${copy.kind}` : ''}`
  open(x)
  x.entry.task = task.id
  x.entry.reportedStatus = x.view.state
  if (copy) {
    x.entry.rules = copy.of.entry.rules
    x.entry.fault = copy.of.entry.fault
  }
  x.reply = copy?.replayed ? replay(copy.replayed) : decide(x, copy?.kind)
  core.changes.note('clock', x.namespace.name)
  core.keeping.keep()
  x.entry.delayMs = x.reply.delayMs
  x.entry.final = x.view.final
  x.namespace.journal.append(x.entry)
  const body = typeof x.reply.body === 'string' ? x.reply.body : ''
  const { messages } = core
  const { request } = x
  const sent = { ...request, headers: x.reply.headers }
  x.messages = messages?.open(
    x.entry,
    sent,
    '',
    messages.readBody(new TextEncoder().encode(body), 'application/json'),
  )
  core.activity.begin()
  return x
}

/** The same bytes as before: body, id, timestamp and signature. */
function replay({ reply: { status, headers, body } }: Exchange): Reply {
  return { status, headers, body, delayMs: 0 }
}

function decide(x: Exchange, kind: CopyKind | undefined): Reply {
  try {
    const reply = decideUnsigned(x, kind)
    const { sign } = x.route!.callback!
    return sign && typeof reply.body === 'string' ? signed(x, reply, sign, kind) : reply
  } catch (error) {
    return { ...refuse(x, error), delivery: { times: 0 } }
  }
}

function decideUnsigned(x: Exchange, kind: CopyKind | undefined): Reply {
  const scripted = kind === undefined ? script(x) : undefined
  if (scripted) return scripted
  x.reply = x.route!.respond(x as Exchange & { prepared: never }, undefined)
  // A fault that shows an earlier state sends it in addition.
  const { fault } = x.decision
  const reply = distort(x)
  return fault && findFault(fault.type).viewedAt ? { ...reply, delivery: { also: 'first' } } : reply
}

/** A message that claims a failure of its task. */
function falseView({ lifecycle }: Task, view: TaskView): TaskView {
  return { ...view, state: lifecycle.roles.failure, final: true, reason: 'The task was removed' }
}

/** Adds the signature. That of a false message belongs to another text. */
function signed(
  { now, message }: Exchange,
  reply: Reply,
  sign: NonNullable<NonNullable<Route['callback']>['sign']>,
  kind: CopyKind | undefined,
): Reply {
  const { id } = message!
  const raw = String(reply.body)
  const headers = sign({ raw: kind === 'false' ? `${raw} ` : raw, id, now })
  return { ...reply, headers: { ...reply.headers, ...headers } }
}
