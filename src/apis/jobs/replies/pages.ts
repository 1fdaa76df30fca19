import * as z from 'zod/mini'
import type { Behaviour } from '../../define/operation.ts'
import { pageForm, writePage } from '../../define/page.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { PagesOptions } from '../kit/operation.ts'
import { Job } from '../job/job.ts'
import { Refused } from '../kit/refused.ts'
import { contentTypeOf, withRefusals, toReply, type Refuse } from './replies.ts'
import { callOf, type ServedApi } from '../served.ts'

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
