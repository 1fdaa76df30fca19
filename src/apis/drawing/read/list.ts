import { once } from '../../../engine/once.ts'
import { constrain, lenient } from '../../define/operation-schema.ts'
import * as z from 'zod/mini'
import { may, named } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import { drawingFacts } from '../lifecycle.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation, type Behaviour } from '../../define/operation.ts'
import { idOf } from '../prompt.ts'
import { drawingError } from '../refusals.ts'
import { isDrawing } from '../result.ts'
import { recordHeaders, recordOf } from './fetch.ts'

/** More than real requests have. */
export const maxIds = 1_000

const id = once(() =>
  constrain(z.unknown(), {
    anyOf: [{ type: 'string' }, { type: 'integer' }, { description: 'Ignored.' }],
  }),
)
const form = defineForm(
  () =>
    named(
      'ListRequest',
      z.object({
        ids: may(
          lenient(constrain(z.array(id()), { maxItems: maxIds })),
          'At most 1,000. What is no id is ignored.',
        ),
      }),
      'The ids of tasks.',
    ),
  () => drawingError(4, 'do_request_failed'),
)

/**
 * Tasks by their ids, without unknown ones.
 * @assumed §4.5 the list of drawings by id is undocumented; wire §7.5.
 */
export const mjList = defineOperation(
  {
    name: 'mj.list',
    summary: 'Poll several drawings',
    ...drawingFacts('list', 'POST /mj/task/list-by-condition'),
    form,
  },
  (): Behaviour<undefined, string[], z.output<typeof form.schema>> => ({
    /** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
    malformed: () => drawingError(4, 'do_request_failed'),
    prepare: (body) => ({ prepared: undefined, fields: body }),
    parse: (_x, { ids = [] }) => readIds(ids),
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

function readIds(list: readonly unknown[]): string[] {
  if (list.length > maxIds) {
    throw drawingError(4, 'do_request_failed').withHint(`ids has ${list.length} entries, at most ${maxIds}.`)
  }
  return [...new Set(list.map(idOf).filter((id) => id !== undefined))]
}
