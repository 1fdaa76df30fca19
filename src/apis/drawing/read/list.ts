import { drawingFacts } from '../facts.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation, type ApiDeps, type Behaviour, type Operation } from '../../define/operation.ts'
import { idOf } from '../prompt.ts'
import { drawingError } from '../refusals.ts'
import { isDrawing } from '../result.ts'
import { recordHeaders, recordOf } from './fetch.ts'

/**
 * Tasks by their ids, without unknown ones.
 * @assumed §4.5 it is undocumented; wire §7.5.
 */
export const mjList = defineOperation(
  { name: 'mj.list', ...drawingFacts('list', 'POST /mj/task/list-by-condition') },
  ({ quirks }: ApiDeps): Behaviour<undefined, string[]> => ({
    /** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
    malformed: () => drawingError(4, 'do_request_failed'),
    prepare: (body) => ({ prepared: undefined, fields: body }),
    parse: ({ body }) => readIds(body, quirks),
    respond: (x, ids) => {
      const found = ids.map((id) => x.tasks.find(id)).filter((task) => task !== undefined)
      const own = found.filter((task) => isDrawing(task) && task.record.namespace === x.namespace.name)
      // Each is polled, which may advance the clock in `auto`. All are read at the last instant.
      const now = own.reduce((_, task) => x.look(task), x.now)
      return jsonReply(
        200,
        own.map((task) => recordOf(x, task, now)),
        recordHeaders,
      )
    },
  }),
)

/** More than real requests have. */
export const maxIds = 1_000

function readIds({ ids }: JsonObject, { numericIds }: Quirks): string[] {
  const list = Array.isArray(ids) ? ids : []
  if (numericIds === 'refuse' && list.some((id) => typeof id !== 'string' && id !== null)) {
    throw drawingError(4, 'do_request_failed').withHint(
      'This gateway takes ids as strings: ["123"], not [123].',
    )
  }
  if (list.length > maxIds) {
    throw drawingError(4, 'do_request_failed').withHint(`ids has ${list.length} entries, at most ${maxIds}.`)
  }
  return [...new Set(list.map(idOf).filter((id) => id !== undefined))]
}

/**
 * The drawings of a key. Stand-alone proxies list them, the gateway does not.
 * @assumed §4.5 it is undocumented; wire §7.1.
 */
export const mjAll = defineListing('mj.all', 'GET /mj/task/list', () => true)

/** The unfinished drawings of a key. */
export const mjQueue = defineListing(
  'mj.queue',
  'GET /mj/task/queue',
  (task, { tasks, now }) => !tasks.view(task, now).final,
)

function defineListing<const Name extends string>(
  name: Name,
  route: string,
  isListed: (task: Task, x: Exchange) => boolean,
): Operation<Name> {
  const facts = { name, role: 'list', tasks: 'drawing', route, option: 'drawing.proxyCalls' } as const
  return defineOperation(facts, () => ({
    respond: (x) => {
      const listed = x.tasks
        .list(x.namespace.name)
        .filter((task) => isDrawing(task) && task.isOwnedBy(x.credential) && isListed(task, x))
      return jsonReply(
        200,
        listed.map((task) => recordOf(x, task)),
        recordHeaders,
      )
    },
  }))
}
