import { drawingFacts } from '../facts.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { buttonsOf, type Press } from '../buttons.ts'
import { idOf, wholeNumber } from '../prompt.ts'
import { drawingError, invalidDrawing, quote } from '../refusals.ts'
import { requireParent } from '../task.ts'
import { pressButton } from './press.ts'
import { defineSubmission, type CommonFields, type TaskParams, type Submission } from './submission.ts'

/** One of the channel's first three buttons, by name. */
interface Change {
  readonly action: 'UPSCALE' | 'VARIATION' | 'REROLL'
  /** The number of the image; 0 for a reroll. */
  readonly index: number
}

/** U and V transformations (§4.6). */
export const mjChange = defineSubmission(
  { name: 'mj.change', ...drawingFacts('submit', 'POST /mj/submit/change'), task: 'body' },
  (deps: ApiDeps): Submission<undefined, Change> => ({
    action: ({ body: { action } }) => (isChange(action) ? action : 'VARIATION'),
    parent: {
      inBody: ({ taskId }) => idOf(taskId),
      checkBody: (body) => {
        if (idOf(body['taskId']) === undefined) throw drawingError(4, 'task_id_is_required')
        readChange(body)
      },
    },
    parse: ({ body }) => readChange(body),
    respond: (x, change, common) => carryOut(x, change, common, deps),
  }),
)

/**
 * The same as two words, such as `1320098173412546 U2`.
 * @assumed §4.6 it is undocumented; wire §7.3.
 */
export const mjSimpleChange = defineSubmission(
  { name: 'mj.simple-change', ...drawingFacts('submit', 'POST /mj/submit/simple-change'), task: 'body' },
  (deps: ApiDeps): Submission<undefined, Change> => ({
    action: ({ body }) => readContent(body)?.change.action ?? 'VARIATION',
    parent: {
      inBody: (body) => readContent(body)?.id,
      checkBody: (body) => void requireContent(body),
    },
    parse: ({ body }) => requireContent(body).change,
    respond: (x, change, common) => carryOut(x, change, common, deps),
  }),
)

function carryOut(x: Exchange, change: Change, common: CommonFields, deps: ApiDeps): Reply | TaskParams {
  const parent = requireParent(x.task, x)
  const button = buttonsOf(parent.task, x.draws).find(({ press }) => isPressOf(change, press))
  /** @assumed §4.6 which results can be changed is undocumented; wire §7.3. */
  if (parent.request.kind !== 'grid' || !button) {
    throw invalidDrawing(
      'parentKind',
      `A result of ${parent.request.action} is no grid of four; use its buttons.`,
    )
  }
  return pressButton(x, button, parent, common, deps)
}

function isPressOf({ action, index }: Change, press: Press): boolean {
  if (action === 'UPSCALE') return press.does === 'upscale' && press.tile === index
  if (action === 'VARIATION') return press.does === 'vary' && press.tile === index
  return press.does === 'reroll'
}

/** @assumed §4.6 the payload is undocumented; wire §7.3 and §7.4. */
function readChange({ action, index }: JsonObject): Change {
  if (action === undefined || action === null || action === '') throw drawingError(4, 'action_is_required')
  if (!isChange(action)) {
    throw invalidDrawing('action', `action is ${quote(action)}; use UPSCALE, VARIATION or REROLL.`)
  }
  if (action === 'REROLL') return { action, index: 0 }
  if (index === undefined || index === null || index === '' || index === 0)
    throw drawingError(4, 'index_is_required')
  const number = wholeNumber(index)
  if ([1, 2, 3, 4].includes(number)) return { action, index: number }
  throw invalidDrawing('parameter', `index is ${quote(index)}; there are images 1 to 4.`)
}

/** Without regular expression flags, because a JSON Schema has none. */
export const simpleChange = /^\s*(\d{1,20})\s+(?:([uUvV])([1-4])|[rR])\s*$/

function readContent({ content }: JsonObject): { id: string; change: Change } | undefined {
  if (typeof content !== 'string') return undefined
  const [, id = '', letter = '', index = '0'] = simpleChange.exec(content) ?? []
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
