import type { Task } from '../../engine/tasks/tasks.ts'
import { reaches, type TaskView } from '../../engine/tasks/timeline.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { ResultLinks } from '../../gateway/replies/result-links.ts'
import { buttonsOf, keycap } from './buttons.ts'
import { drawingRequest, type DrawingRequest } from './result.ts'

/** The description of an accepted submission (wire §7.4). */
export const submitted = 'Submit success'

/** The circumstances that a record depends on, in addition to the task. */
interface ViewContext {
  readonly view: TaskView
  readonly now: number
  readonly origin: string
  readonly draws: Draws
  /** The links to results; by default they never expire. */
  readonly links?: ResultLinks | undefined
}

/**
 * A task in the form of this API (§2.5). Every field is always present, in this order.
 *
 * @assumed §2.5 fields beyond id, status, progress and imageUrl are undocumented; wire §7.5. Times are milliseconds.
 */
export function drawingRecord(
  task: Task,
  { view, now, origin, draws, links }: ViewContext,
): Record<string, unknown> {
  const request = drawingRequest(task)
  const { id, submittedAt } = task.record
  const succeeded = view.state === task.lifecycle.roles.success
  const query = view.final ? (links?.queryFor(id, now) ?? '') : ''
  const prompt = succeeded ? promptOf(request) : request.prompt
  const sentAt = reaches(task.timeline, 'SUBMITTED') ?? view.startedAt
  return {
    id,
    action: request.action,
    customId: '',
    botType: '',
    prompt,
    promptEn: prompt,
    description: submitted,
    state: request.state,
    submitTime: submittedAt,
    startTime: sentAt <= now ? sentAt : 0,
    finishTime: view.finishedAt,
    imageUrl: imageUrl(task, request, view, { origin, now, query }),
    videoUrl: '',
    videoUrls: null,
    status: view.state,
    progress: `${view.progress}%`,
    failReason: view.reason,
    buttons: succeeded
      ? buttonsOf(task, draws).map(({ customId, emoji, label }) => ({
          customId,
          emoji,
          label,
          type: 2,
          style: 2,
        }))
      : null,
    maskBase64: '',
    properties: succeeded ? { finalPrompt: prompt, finalZhPrompt: '' } : null,
  }
}

/** The prompt of a record. Four descriptions of an image become one text (wire §7.5). */
function promptOf({ kind, prompt, prompts = [] }: DrawingRequest): string {
  if (kind !== 'describe') return prompt
  return prompts.map((text, index) => `${keycap(index + 1)} ${text}`).join('\n\n')
}

/** Whether there is an image, finished or in progress. */
export function hasImage({ lifecycle }: Task, { drawing }: DrawingRequest, view: TaskView): boolean {
  if (!drawing) return false
  return view.state === lifecycle.roles.success || (view.state === lifecycle.roles.work && view.progress > 0)
}

function imageUrl(
  task: Task,
  request: DrawingRequest,
  view: TaskView,
  { origin, now, query }: { origin: string; now: number; query: string },
): string {
  if (!hasImage(task, request, view)) return ''
  const url = `${origin}/mj/image/${task.record.id}`
  // An image in progress changes, so browsers must not cache it.
  return view.final ? url + query : `${url}?rand=${now}000000`
}
