import * as z from 'zod/mini'
import type { Form } from '../../define/form.ts'
import type { Behaviour } from '../../define/operation.ts'
import { pageForm, writePage } from '../../define/page.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { ListOptions } from '../kit/operation.ts'
import { Job } from '../job/job.ts'
import { Refused } from '../kit/refused.ts'
import { contentTypeOf, withRefusals, toReply, type Refuse } from './replies.ts'
import { callOf, type ServedApi } from '../served.ts'

type PageForm = ReturnType<typeof pageForm>

/** The query of a list. */
export function listForm({ least = 1 }: ListOptions): PageForm {
  return pageForm(least, (message) => new Refused(message))
}

/** What a list does. */
export function listBehaviour(
  name: string,
  operation: ListOptions,
  served: ServedApi,
  refuse: Refuse,
): Behaviour<never, z.output<PageForm['schema']>> {
  const { reply, status = 200 } = operation
  const contentType = contentTypeOf(served.definition, operation)
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
      return toReply(body, { x, task: all[0]!, operation: name, status, contentType })
    },
  }
}

export type ListForm = Form<PageForm['schema']>
