import * as z from 'zod/mini'
import type { Behaviour } from '../../define/operation.ts'
import { pageForm, writePage } from '../../define/page.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { PagesOptions } from '../kit/operation.ts'
import { Job } from '../job/job.ts'
import { Refused } from '../kit/refused.ts'
import { contentTypeOf, withRefusals, toReply, type Refuse } from './replies.ts'
import { callOf } from '../request-call.ts'
import type { ServedApi } from '../served.ts'

type PageForm = ReturnType<typeof pageForm>

/** The query of a list in pages. */
export function pagesForm({ least = 1 }: PagesOptions): PageForm {
  return pageForm(least, (message) => new Refused(message))
}

/** What a list in pages does. */
export function pagesBehaviour(
  name: string,
  operation: PagesOptions,
  served: ServedApi,
  refuse: Refuse,
): Behaviour<never, z.output<PageForm['schema']>> {
  const { reply, status = 200 } = operation
  const { ids, body } = operation
  if (ids && body) return listByIds(name, { ...operation, ids }, served, refuse) as never
  return {
    guard: (run) => withRefusals(refuse, run),
    parse: (_x, page) => page as z.output<PageForm['schema']>,
    respond: (x, page) => {
      const all = x.tasks
        .list(x.namespace.name)
        .filter((task) => task.lifecycle.name === served.kind && task.isOwnedBy(x.caller.account))
      const call = callOf(x)
      const body = writePage(all, page, {
        idOf: ({ id }) => id,
        write: (task) => callDefined(name, 'reply', () => reply(new Job(x, task, served), call)),
        unknown: () => refuse('unknownJob', { usual: 'after names no job' }),
      })
      const contentType = contentTypeOf(served.definition, x.core, operation)
      return toReply(body, { x, task: all[0]!, operation: name, status, contentType })
    },
  }
}

/** A list of jobs by their ids. Each of them is polled. */
function listByIds(
  name: string,
  { ids, reply, status = 200, ...operation }: PagesOptions & Required<Pick<PagesOptions, 'ids'>>,
  served: ServedApi,
  refuse: Refuse,
): Behaviour<never, never> {
  const behaviour: Behaviour<undefined, readonly string[]> = {
    prepare: (body) => ({ prepared: undefined, fields: body }),
    guard: (run) => withRefusals(refuse, run),
    parse: (x, body) => callDefined(name, 'ids', () => ids(callOf(x, body) as never)),
    respond: (x, given) => {
      const tasks = given.flatMap((id) => x.tasks.find(id) ?? [])
      const own = tasks.filter(
        ({ lifecycle, record }) => lifecycle.name === served.kind && record.namespace === x.namespace.name,
      )
      // A poll may advance the clock in `auto`. All are read at the last instant.
      const now = own.reduce((_, task) => x.look(task), x.now)
      const call = callOf(x)
      const jobs = own.map((task) =>
        callDefined(name, 'reply', () => reply(new Job(x, task, served, now), call)),
      )
      const contentType = contentTypeOf(served.definition, x.core, operation)
      return toReply(jobs, { x, task: undefined, operation: name, status, contentType })
    },
  }
  return behaviour as unknown as Behaviour<never, never>
}
