import type { Job } from '../jobs/job/job.ts'
import { buttonsOf, keycap } from './buttons.ts'
import { inputOf } from './result.ts'

/** The description of an accepted submission (wire §7.4). */
export const submitted = 'Submit success'

/**
 * A task in the form of this API (§2.5). Every field is always present, in this order.
 *
 * @assumed §2.5 fields beyond id, status, progress and imageUrl are undocumented; wire §7.5. Times are milliseconds.
 */
export function drawingRecord(job: Job) {
  const { hasSucceeded } = job
  const prompt = hasSucceeded ? promptOf(job) : job.prompt
  return {
    id: job.id,
    action: job.action,
    customId: '',
    botType: '',
    prompt,
    promptEn: prompt,
    description: submitted,
    state: inputOf(job).state,
    submitTime: job.submittedAt,
    startTime: job.reachedAt('SUBMITTED') ?? job.startedAt ?? 0,
    finishTime: job.endedAt ?? 0,
    imageUrl: job.url ?? previewUrl(job),
    videoUrl: '',
    videoUrls: null,
    status: job.status,
    progress: `${job.progress}%`,
    failReason: job.reason,
    buttons: hasSucceeded
      ? buttonsOf(job).map(({ customId, emoji, label }) => ({ customId, emoji, label, type: 2, style: 2 }))
      : null,
    maskBase64: '',
    properties: hasSucceeded ? { finalPrompt: prompt, finalZhPrompt: '' } : null,
  }
}

/** The prompt of a record. Four descriptions of an image become one text (wire §7.5). */
function promptOf(job: Job): string {
  const { kind, prompts = [] } = inputOf(job)
  if (kind !== 'describe') return job.prompt
  return prompts.map((text, index) => `${keycap(index + 1)} ${text}`).join('\n\n')
}

/** An image in progress changes, so browsers must not cache it. */
function previewUrl({ id, origin, hasPreview, seenAt }: Job): string {
  return hasPreview ? `${origin}/mj/image/${id}?rand=${seenAt}000000` : ''
}
