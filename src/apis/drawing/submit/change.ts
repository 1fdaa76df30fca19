import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Context, Route } from '../../../gateway/route.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import { buttonsOf, type Press } from '../buttons/buttons.ts'
import { finishedParent } from '../images/parent.ts'
import { press } from '../buttons/press.ts'
import { idOf, wholeNumber } from '../images/prompt.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { submitRoute, type CommonFields } from './submit-route.ts'
import type { DrawingTasks } from '../task.ts'
import type { DrawingAction } from '../words.ts'

/** One of the channel's first three buttons, by name. */
interface Change {
  readonly action: 'UPSCALE' | 'VARIATION' | 'REROLL'
  /** Which of the four; 0 for a reroll. */
  readonly index: number
}

/** U and V transformations (§4.6). */
export function changeRoute(tasks: DrawingTasks): Route {
  return submitRoute<undefined, Change>(
    {
      operation: 'mj.change',
      action: ({ action }) => (isChange(action) ? action : 'VARIATION'),
      parent: {
        inBody: ({ taskId }) => idOf(taskId),
        missing: (body) => {
          if (idOf(body['taskId']) === undefined) throw drawingError(4, 'task_id_is_required')
          readChange(body)
        },
      },
      validate: readChange,
      respond: (change, common, context) => carryOut(change, common, context, tasks),
    },
    tasks.settings,
  )
}

/**
 * The same in two words, such as `1320098173412546 U2`.
 * @assumed §4.6 it is not among the shown operations; wire §7.3.
 */
export function simpleChangeRoute(tasks: DrawingTasks): Route {
  return submitRoute<undefined, Change>(
    {
      operation: 'mj.simple-change',
      action: (body): DrawingAction => readContent(body)?.change.action ?? 'VARIATION',
      parent: {
        inBody: (body) => readContent(body)?.id,
        missing: (body) => void requireContent(body),
      },
      validate: (body) => requireContent(body).change,
      respond: (change, common, context) => carryOut(change, common, context, tasks),
    },
    tasks.settings,
  )
}

function carryOut(change: Change, common: CommonFields, context: Context, tasks: DrawingTasks): Reply {
  const parent = finishedParent(context.task, context)
  const button = buttonsOf(parent.task, context.draws).find(({ press: what }) => means(change, what))
  /** @assumed §4.6 which results can be changed is not shown; wire §7.3. */
  if (parent.request.kind !== 'grid' || !button) {
    throw invalidDrawing(
      'parentKind',
      `A result of ${parent.request.action} is no grid of four; use its buttons.`,
    )
  }
  return press(button, parent, common, context, tasks)
}

function means({ action, index }: Change, what: Press): boolean {
  if (action === 'UPSCALE') return what.does === 'upscale' && what.tile === index
  if (action === 'VARIATION') return what.does === 'vary' && what.tile === index
  return what.does === 'reroll'
}

/** @assumed §4.6 the payload is not shown; wire §7.3 and §7.4. */
function readChange({ action, index }: JsonObject): Change {
  if (action === undefined || action === null || action === '') throw drawingError(4, 'action_is_required')
  if (!isChange(action)) {
    throw invalidDrawing(
      'action',
      `action is ${JSON.stringify(action).slice(0, 60)}; use UPSCALE, VARIATION or REROLL.`,
    )
  }
  if (action === 'REROLL') return { action, index: 0 }
  if (index === undefined || index === null || index === '' || index === 0)
    throw drawingError(4, 'index_is_required')
  const number = wholeNumber(index)
  if ([1, 2, 3, 4].includes(number)) return { action, index: number }
  throw invalidDrawing(
    'parameter',
    `index is ${JSON.stringify(index).slice(0, 60)}; there are pictures 1 to 4.`,
  )
}

function readContent({ content }: JsonObject): { id: string; change: Change } | undefined {
  if (typeof content !== 'string') return undefined
  const [, id = '', letter = '', index = '0'] =
    /^\s*(\d{1,20})\s+(?:([uv])([1-4])|r)\s*$/i.exec(content) ?? []
  if (id === '') return undefined
  const action = letter === '' ? 'REROLL' : letter.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION'
  return { id, change: { action, index: Number(index) } }
}

function requireContent(body: JsonObject): { id: string; change: Change } {
  const { content } = body
  if (content === undefined || content === null || content === '')
    throw drawingError(4, 'content_is_required')
  const read = readContent(body)
  if (read) return read
  throw drawingError(4, 'content_parse_failed').withHint(
    'Write a task id and what to do: "1320098173412546 U2", V1 to V4, or R.',
  )
}

function isChange(action: unknown): action is Change['action'] {
  return action === 'UPSCALE' || action === 'VARIATION' || action === 'REROLL'
}
