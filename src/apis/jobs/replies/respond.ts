import { sampleDuration } from '../../../engine/random/distribution.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { Behaviour } from '../../define/operation.ts'
import { Job } from '../job/job.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { ApiOperation } from '../kit/definition.ts'
import { jobCallOf } from '../request-call.ts'
import type { ServedApi } from '../served.ts'
import { uploadReply } from './call.ts'
import { contentTypeOf, toReply, withRefusals, type Refuse } from './replies.ts'

type JobOperation = Exclude<
  ApiOperation,
  { role: 'submit' | 'confirm' | 'download' | 'list' | 'pages' | 'call' }
>

/** What a request about one job does: a poll, a result, a cancellation, a removal. */
export function jobBehaviour(
  name: string,
  operation: JobOperation,
  served: ServedApi,
  refuse: Refuse,
): Behaviour<never, never> {
  return { respond: (x) => withRefusals(refuse, () => respond(name, operation, served, x)) }
}

/** Calls `reply` of the definition, such as that of the poll in `apis/video/api.ts`, with the job in its present state. */
function respond(name: string, operation: JobOperation, served: ServedApi, x: Exchange): Reply {
  const { role, status = 200 } = operation
  if (!x.task) return uploadReply(name, operation, served, x)
  const hasEnded = role === 'cancel' && !cancelTasks(x, served)
  const task = (role === 'cancel' && x.tasks.find(x.task!.id)) || x.task!
  const job = new Job(x, task, served)
  const call = role === 'cancel' ? Object.assign(jobCallOf(x, served), { hasEnded }) : jobCallOf(x, served)
  if (role === 'poll' || role === 'remove') x.entry.reportedStatus = job.status
  const made = callDefined(name, 'reply', () => operation.reply(job, call as never))
  const contentType = contentTypeOf(served.definition, x.core, operation)
  const reply = toReply(made, { x, task, operation: name, status, contentType })
  // The record is gone after this, and a task that had failed returned its price.
  if (role === 'remove') for (const each of [task, ...x.others]) x.tasks.remove(each, x.now)
  const hidesReason = role === 'poll' || role === 'result'
  if (hidesReason && job.reason !== '' && !hasText(reply.body, job.reason)) x.entry.hidesReason = true
  return reply
}

/** Whether a body in JSON contains this text as a string. */
function hasText(body: Reply['body'], text: string): boolean {
  return typeof body === 'string' && body.includes(JSON.stringify(text).slice(1, -1))
}

/** Ends jobs early, at once or after a while. @returns whether the first had not ended yet. */
function cancelTasks({ task, others, tasks, now, draws }: Exchange, served: ServedApi): boolean {
  const { cancelling, cancelled, failure } = served.states
  const hasEnded = tasks.view(task!, now).final
  for (const each of [task!, ...others]) {
    const { final, state: present } = tasks.view(each, now)
    if (final || present === cancelling) continue
    const state = cancelling ?? cancelled ?? failure
    tasks.transition(each, { at: now, state, reason: 'cancelled', cause: 'request' })
    if (cancelling === undefined) continue
    const { after } = each.lifecycle.states[cancelling]!
    const lastsMs = sampleDuration(after!, draws.unit('job.cancelling', each.id, 0))
    const ends = lastsMs === null ? null : now + lastsMs
    tasks.endAt(tasks.find(each.id)!, { at: now, ends, state: cancelled!, reason: 'cancelled' })
  }
  return !hasEnded
}
