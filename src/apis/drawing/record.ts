import type { Task } from '../../engine/tasks/tasks.ts'
import { reaches, type TaskView } from '../../engine/tasks/timeline.ts'
import type { Draws } from '../../engine/random/draws.ts'
import { buttonsOf, keycap } from './buttons/buttons.ts'
import { drawingRequest, type DrawingRequest } from './shows.ts'
import { submitted } from './words.ts'

/** What a record is seen with. */
export interface ViewContext {
  readonly view: TaskView
  readonly now: number
  readonly origin: string
  readonly draws: Draws
}

/**
 * A task as clients read it (§2.5). Every field is always there, in this order.
 *
 * @assumed §2.5 fields beyond id, status, progress and imageUrl are not shown; wire §7.5. Times are milliseconds.
 */
export function drawingRecord(
  task: Task,
  { view, now, origin, draws }: ViewContext,
): Record<string, unknown> {
  const request = drawingRequest(task)
  const { id, submittedAt } = task.record
  const succeeded = view.state === task.lifecycle.roles.success
  const videoUrls = succeeded ? filmUrls(id, request, origin) : null
  const prompt = succeeded ? shownPrompt(request) : request.prompt
  const sentAt = reaches(task.timeline, 'SUBMITTED') ?? view.startedAt
  return {
    id,
    action: request.action,
    customId: '',
    botType: '',
    prompt,
    promptEn: prompt,
    description: succeeded && request.kind === 'shorten' ? shortened(request) : submitted,
    state: request.state,
    submitTime: submittedAt,
    startTime: sentAt <= now ? sentAt : 0,
    finishTime: view.finishedAt,
    imageUrl: imageUrl(task, request, view, { origin, now }),
    videoUrl: videoUrls?.[0]?.url ?? '',
    videoUrls,
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

/** Four prompts found in a picture are shown as one text (wire §7.5). */
function shownPrompt({ kind, prompt, prompts = [] }: DrawingRequest): string {
  return kind === 'describe' ? numbered(prompts, '\n\n') : prompt
}

/** Clients take the n-th line behind the heading. */
function shortened({ prompts = [] }: DrawingRequest): string {
  return `${submitted}\n## Shortened prompts\n${numbered(prompts, '\n')}`
}

function numbered(prompts: readonly string[], separator: string): string {
  return prompts.map((prompt, index) => `${keycap(index + 1)} ${prompt}`).join(separator)
}

/** Whether there is a picture to be seen: the finished one, or one in progress. */
export function hasPicture({ lifecycle }: Task, { drawing }: DrawingRequest, view: TaskView): boolean {
  if (!drawing) return false
  return view.state === lifecycle.roles.success || (view.state === lifecycle.roles.work && view.progress > 0)
}

function imageUrl(
  task: Task,
  request: DrawingRequest,
  view: TaskView,
  { origin, now }: { origin: string; now: number },
): string {
  if (!hasPicture(task, request, view)) return ''
  const url = `${origin}/mj/image/${task.record.id}`
  // A picture in progress changes under its address, so browsers must not keep it.
  return view.final ? url : `${url}?rand=${now}000000`
}

function filmUrls(id: string, { films }: DrawingRequest, origin: string): { url: string }[] | null {
  if (!films) return null
  return films.seeds.map((_seed, index) => ({ url: `${origin}/mj/video/${id}/${index + 1}.mp4` }))
}
