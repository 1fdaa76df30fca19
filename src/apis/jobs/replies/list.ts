import type { Exchange } from '../../../gateway/exchange.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { definitionError } from '../../../gateway/replies/errors.ts'
import type { Behaviour } from '../../define/operation.ts'
import { Job } from '../job/job.ts'
import { callDefined } from '../kit/call-defined.ts'
import { showValue } from '../kit/check.ts'
import type { JobPage, ListOptions } from '../kit/operation.ts'
import { callOf } from '../request-call.ts'
import type { ServedApi } from '../served.ts'
import { contentTypeOf, toReply, withRefusals, type Refuse } from './replies.ts'

/** What a list does. */
export function listBehaviour(
  name: string,
  operation: ListOptions,
  served: ServedApi,
  refuse: Refuse,
): Behaviour<readonly never[], unknown> {
  const { filter, order = 'newest', page, reply, route, status = 200 } = operation
  const respond = (x: Exchange) => {
    const call = callOf(x)
    const jobOf = (task: Task): Job => new Job(x, task, served)
    const isListed = (task: Task): boolean =>
      !filter || Boolean(callDefined(name, 'filter', () => filter(jobOf(task), call)))
    const own = x.tasks
      .list(x.namespace.name)
      .filter((task) => task.lifecycle.name === served.kind && task.isOwnedBy(x.caller.account))
    // Each open job is polled, which may advance the clock in `auto`. All are read at the last instant.
    const open = own.filter((task) => !x.tasks.view(task, x.now).final)
    x.viewedAt = open.reduce((_, task) => x.look(task), x.viewedAt)
    const all = (order === 'oldest' ? own : own.toReversed()).filter(isListed)
    const { tasks, next } = select(
      all,
      page &&
        readPage(
          name,
          callDefined(name, 'page', () => page(call)),
        ),
      refuse,
    )
    const jobs = tasks.map(jobOf)
    const made = callDefined(name, 'reply', () =>
      reply(jobs, Object.assign(call, { total: all.length, next })),
    )
    const contentType = contentTypeOf(served.definition, x.core, operation)
    return toReply(made, { x, task: undefined, operation: name, status, contentType })
  }
  return {
    ...(/\b(?:POST|PUT|PATCH) /.test(route) && { prepare: (body) => ({ prepared: [], fields: body }) }),
    guard: (run) => withRefusals(refuse, run),
    respond: (x) => withRefusals(refuse, () => respond(x)),
  }
}

function readPage(name: string, page: unknown): JobPage {
  if (typeof page === 'object' && page !== null) return page
  throw definitionError(
    name,
    'page',
    `it returns ${showValue(page)}. Return { limit, after } or { limit, from }`,
  )
}

/** The part of a list that a page selects. */
function select(
  all: readonly Task[],
  { limit = Infinity, after, from = 0 }: JobPage = {},
  refuse: Refuse,
): { readonly tasks: readonly Task[]; readonly next: string | undefined } {
  for (const [what, value, least] of [
    ['limit', limit, 1],
    ['number', from, 0],
  ] as const)
    if (!(value === Infinity || Number.isInteger(value)) || value < least)
      throw refuse('invalidBody', { message: `The ${what} of a page must be a whole number from ${least}` })
  const place = after == null || after === '' ? -1 : all.findIndex(({ id }) => id === after)
  if (place < 0 && after) throw refuse('unknownJob', { usual: `${after} names no job of the list` })
  const start = place + 1 + from
  const tasks = all.slice(start, start + limit)
  return { tasks, next: all.length > start + limit ? tasks.at(-1)?.id : undefined }
}
