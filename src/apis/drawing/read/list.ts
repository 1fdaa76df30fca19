import { once } from '../../../engine/once.ts'
import { type OperationDetails, constrain, lenient } from '../../define/operation-schema.ts'
import { drawingTask, describeAcceptance } from '../answer-schemas.ts'
import * as z from 'zod/mini'
import { may, named } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import { drawingFacts } from '../lifecycle.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation, type Behaviour, type Operation } from '../../define/operation.ts'
import type { Core } from '../../../gateway/core.ts'
import { idOf } from '../prompt.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { isDrawing, drawingRequest } from '../result.ts'
import { recordHeaders, recordOf, unknownTask } from './fetch.ts'
import { contentType } from '../submit/submission.ts'

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
    schema: describeTasks,
  },
  ({ quirks }: Core): Behaviour<undefined, string[], z.output<typeof form.schema>> => ({
    /** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
    malformed: () => drawingError(4, 'do_request_failed'),
    prepare: (body) => ({ prepared: undefined, fields: body }),
    parse: (_x, { ids = [] }) => readIds(ids, quirks),
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

function readIds(list: readonly unknown[], { numericIds }: Quirks): string[] {
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
 * @assumed §4.5 the list of all drawings is undocumented; wire §7.1.
 */
export const mjAll = defineListing('mj.all', 'List all drawings', 'GET /mj/task/list', () => true)

/** The unfinished drawings of a key. */
export const mjQueue = defineListing(
  'mj.queue',
  'List unfinished drawings',
  'GET /mj/task/queue',
  (task, { tasks, now }) => !tasks.view(task, now).final,
)

function defineListing<const Name extends string>(
  name: Name,
  summary: string,
  route: string,
  isListed: (task: Task, x: Exchange) => boolean,
): Operation<Name> {
  const facts = {
    name,
    summary,
    schema: describeTasks,
    role: 'list',
    tasks: 'drawing',
    route,
    option: 'drawing.proxyCalls',
  } as const
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

function describeTasks(): OperationDetails {
  return { answer: { json: z.array(drawingTask()) } }
}

/**
 * The seed of an image.
 * @assumed §4.5 the seed of an image is undocumented; wire §7.5.
 */
export const mjSeed = defineOperation(
  {
    name: 'mj.seed',
    summary: 'Get the seed of an image',
    ...drawingFacts('read', 'GET /mj/task/{id}/image-seed'),
    task: 'id',
    schema: describeAcceptance,
  },
  ({ quirks }: Core) => {
    const headers = contentType(quirks)

    return {
      task: { unknown: unknownTask },
      respond: ({ tasks, now, task }) => {
        const { seed, drawing } = drawingRequest(task!)
        const isDone = tasks.view(task!, now).state === task!.lifecycle.roles.success
        if (!isDone || !drawing)
          throw invalidDrawing('parentState', 'There is no picture yet.').withHeaders(headers)
        const body = { code: 1, description: '成功', properties: null, result: String(seed) }
        return jsonReply(200, body, headers)
      },
    }
  },
)
