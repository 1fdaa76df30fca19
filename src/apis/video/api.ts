import { toUnixSeconds } from '../../engine/clock/duration.ts'
import { cachedForADay } from '../../gateway/replies/headers.ts'
import { defineJobs } from '../jobs/define-jobs.ts'
import type { ApiDefinition } from '../jobs/kit/definition.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Call } from '../jobs/kit/call.ts'
import type { Job } from '../jobs/job/job.ts'
import { answer, kitFor, refusal, type DefinitionWords } from '../jobs/kit/operations.ts'
import { toSeconds } from '../jobs/request/read-job.ts'
import { imageSentence, videoForm, type VideoBody } from './form.ts'
import { gatewayFacts } from './gateway.ts'
import { states, upstreamStatus } from './states.ts'

/** @assumed §4.1 headers are undocumented; wire §1.3. */
const submitHeaders = Object.freeze({ 'X-New-Api-Other-Ratios': '{}' })

const unix = (instant = 0): number => toUnixSeconds(instant)

/** The fields that may contain images. @assumed §4.1 `images` and `input_reference` are undocumented; wire §3.1. */
export const imageFields = ({ image, images, input_reference }: JsonObject) => ({
  image,
  images,
  input_reference,
})

/** @assumed §4.1 the kinds of requests are undocumented; wire §3.2 `action`. */
const actionOf = ({ image, images, input_reference: reference }: VideoBody): string => {
  const count = [image, images, reference]
    .flatMap((given) => given ?? [])
    .filter((each) => each !== '').length
  if (count === 0) return 'textGenerate'
  return count === 2 ? 'firstTailGenerate' : count > 2 ? 'referenceGenerate' : 'generate'
}

/** Forms repeat a field for several files. In JSON, these fields are one text (§4.1), and a list is a mistake. */
export const refuseList = ({ body, header }: Pick<Call<VideoBody>, 'body' | 'header'>) => {
  if (!/^application\/json/i.test(header('content-type'))) return undefined
  const field = (['image', 'input_reference'] as const).find((name) => Array.isArray(body[name]))
  return field && refusal(imageSentence.replace('{field}', field))
}

/** The job that a body describes. */
export const videoJob = (body: VideoBody) => {
  const { model, prompt, duration, seconds, size, metadata = {} } = body
  const isDuration = toSeconds(duration) !== 0 || (duration !== undefined && duration !== '' && !seconds)
  const { seed } = metadata
  return {
    model,
    prompt,
    seconds: isDuration ? duration : seconds,
    size,
    resolution: metadata.resolution ?? body.resolution,
    aspectRatio: metadata.aspect_ratio ?? body.aspect_ratio,
    seed: typeof seed === 'number' || typeof seed === 'string' ? seed : undefined,
    action: actionOf(body),
    names: {
      seconds: isDuration ? 'duration' : 'seconds',
      resolution: 'metadata.resolution',
      aspectRatio: 'metadata.aspect_ratio',
    },
  }
}

/** @assumed §7 validation errors are undocumented; wire §2.4. */
export const refusals = {
  invalidBody: { status: 400, code: 'invalid_request' },
  invalidSize: { status: 400, code: 'invalid_size' },
  invalidSeconds: { status: 400, code: 'invalid_seconds' },
  unknownJob: { status: 400, code: 'task_not_exist', message: 'task_not_exist' },
} as const

/** The handlers of tasks refuse in one envelope, the download in another, the gateway in front of them in its own. */
export const error: ApiDefinition['error'] = ({ code, message }, { operation, isGateways, usual }) =>
  isGateways
    ? usual
    : operation === 'content'
      ? { error: { message, type: 'invalid_request_error' } }
      : { code, message, data: null }

/** The gateway's own names for states of a queued task, and their progress (wire §3.3). Each has a third of the time. */
const queueStates = [
  { status: 'NOT_START', progress: 0 },
  { status: 'SUBMITTED', progress: 10 },
  { status: 'QUEUED', progress: 20 },
] as const

/** Words of other gateways for work, success and failure. */
const otherWords: Readonly<Record<string, readonly [work: string, success: string, failure: string]>> = {
  completed: ['in_progress', 'completed', 'expired'],
  cancelled: ['running', 'finished', 'cancelled'],
  succeeded: ['processing', 'succeeded', 'failed'],
}

/** The state of a job in words that this gateway does not document. */
function otherStatus(job: Job, style: string): { status: string; progress: number } | undefined {
  const [work, success, failure] = otherWords[style] ?? []
  const status = job.hasSucceeded ? success : job.isDone ? failure : job.isQueued ? undefined : work
  return status === undefined ? undefined : { status, progress: job.progress }
}

const words = {
  states,
  quirks: {
    videoStatusStyle: {
      values: ['seed', 'upstream'],
      description:
        "The status of a video before it renders: `queued` (`seed`), or the gateway's own `NOT_START`, `SUBMITTED`, `QUEUED`.",
      profiles: { upstream: 'upstream' },
      variant: {
        id: 'upstream statuses',
        operation: 'poll',
        advice: 'Gateways spell statuses in two ways: know both, such as SUCCESS and completed.',
      },
    },
    contentDelivery: {
      values: ['direct', 'redirect'],
      description: 'Whether a download returns the video, or a redirect to it.',
      profiles: { page: 'redirect' },
      variant: {
        id: 'redirected downloads',
        operation: 'content',
        advice: 'A gateway may redirect a download to where the file is: follow redirects.',
      },
    },
    contentAuth: {
      values: ['required', 'optional'],
      description: 'Whether downloads need a key.',
      profiles: { page: 'optional' },
    },
    videoWords: {
      values: ['seed', 'completed', 'cancelled', 'succeeded'],
      description:
        'Words for the end of a video: `SUCCESS` and `FAILURE` (`seed`), `completed` and `expired`, `finished` and `cancelled`, or `succeeded` and `failed`.',
      variant: {
        id: 'other words',
        operation: 'poll',
        isUnread: true,
        advice: 'Other gateways say succeeded or completed, and failed, expired or cancelled: know both.',
      },
    },
    videoQueuedPolls: {
      values: ['status', 'no-data'],
      description:
        'What a poll of a queued video says: its `status`, or in a 200 that there is no such task yet (`no-data`): another `code` than `success`, and `data: null`.',
    },
  },
  shows: (job: Job, { videoStatusStyle: style, videoWords }: Call['quirks']) =>
    style !== 'seed' && job.isQueued
      ? queueStates[Math.min(2, Math.floor(job.share * 3))]
      : otherStatus(job, videoWords!),
} as const satisfies DefinitionWords

const { submit, poll, download } = kitFor(words)

/** @assumed §2.2 fields beyond task_id, status, progress, result_url and fail_reason are undocumented; wire §3.2. */
const record = (job: Job) => ({
  id: job.row,
  created_at: unix(job.submittedAt),
  updated_at: unix(job.changedAt),
  task_id: job.id,
  platform: '55',
  user_id: 1,
  group: 'default',
  channel_id: 1,
  quota: job.quota,
  action: job.action,
  status: job.status,
  fail_reason: job.reason,
  result_url: job.url ?? undefined,
  submit_time: unix(job.submittedAt),
  start_time: unix(job.startedAt),
  finish_time: unix(job.endedAt),
  progress: `${job.progress}%`,
  properties: { input: '', upstream_model_name: job.model, origin_model_name: job.model },
  data: { id: `video_${job.row}`, object: 'video', status: upstreamStatus(job), progress: job.progress },
})

/** The poll of some gateways while they have not stored the task yet. */
const noTaskYet = { code: 'task_not_exist', message: 'The task does not exist', data: null }

const fileEndings: Readonly<Record<string, string>> = { video: 'mp4', thumbnail: 'webp', spritesheet: 'png' }

/** The gateway's own video API (§4.1–4.3). @assumed §4.3 HEAD is undocumented; wire §5 proposes it. */
export const video = {
  name: 'video',
  title: 'Video',
  id: { prefix: 'task_', length: 32 },
  idParameter: 'task_id',
  ...words,
  /** @assumed §3.1 progress between 0 and 100 is undocumented; wire §3.3: 30 % when rendering starts, 100 % on FAILURE. */
  beginsAt: 30,
  contentType: 'application/json; charset=utf-8',
  refusals,
  error,
  operations: {
    submit: submit({
      route: 'POST /v1/video/generations',
      summary: 'Submit a video',
      body: videoForm,
      images: imageFields,
      reads: ({ body: { model, prompt } }) => ({ model, prompt }),
      job: (call) => refuseList(call) ?? videoJob(call.body),
      reply: ({ id, model, submittedAt }) =>
        answer(
          200,
          {
            id,
            task_id: id,
            object: 'video',
            model,
            status: 'queued',
            progress: 0,
            created_at: unix(submittedAt),
          },
          submitHeaders,
        ),
    }),
    poll: poll({
      route: 'GET /v1/video/generations/{task_id}',
      summary: 'Poll the task of a video',
      interval: { min: '5s' },
      /** @assumed §4.2 the media type of the poll is undocumented; wire §1.3: without a charset. */
      contentType: 'application/json',
      reply: (job, { quirks: { videoQueuedPolls } }) =>
        job.isQueued && videoQueuedPolls === 'no-data'
          ? noTaskYet
          : { code: 'success', message: '', data: record(job) },
    }),
    content: download({
      route: 'GET HEAD /v1/videos/{task_id}/content',
      summary: 'Download a video',
      refusals: {
        invalidBody: 400,
        unknownJob: { status: 404, message: 'Task not found' },
        noResult: { status: 400, message: 'Task is not completed yet, current status: {status}' },
        expired: { status: 403, message: 'This link has expired' },
      },
      stills: { parameter: 'variant' },
      redirects: ({ quirks }) => quirks.contentDelivery === 'redirect',
      isOpen: ({ quirks }) => quirks.contentAuth === 'optional',
      /** @assumed §4.3 headers except the media type are undocumented; wire §5. */
      headers: (job, { made }) => ({
        ...cachedForADay,
        'Content-Disposition': `inline; filename="${job.id}.${fileEndings[made]}"`,
      }),
      failed: { error: { message: 'Failed to fetch video content', type: 'server_error' } },
    }),
  },
} as const satisfies ApiDefinition

export const videoApi = defineJobs(video, gatewayFacts)
