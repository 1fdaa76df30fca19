import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { toUnixSeconds } from '../../../engine/clock/duration.ts'
import { may, named } from '../../../scenario/schema/fields.ts'
import { openaiVariables } from '../../text/openai/words.ts'
import { defineForm } from '../../define/form.ts'
import { defineJobs } from '../../jobs/define-jobs.ts'
import type { ApiDefinition } from '../../jobs/kit/definition.ts'
import type { Job } from '../../jobs/job/job.ts'
import { kitFor, refusal, type DefinitionWords } from '../../jobs/kit/operations.ts'
import { refuseField } from '../../jobs/kit/refused.ts'
import { imageFields, refuseList, video, videoJob } from '../api.ts'
import { imageSentence, videoForm } from '../form.ts'
import { videoKeys } from '../gateway.ts'
import { readVideoState, upstreamStatus } from '../states.ts'

const portraitAndLandscape = ['720x1280', '1280x720']
const soraSizes: Readonly<Record<string, readonly string[]>> = {
  'sora-2': portraitAndLandscape,
  'sora-2-pro': [...portraitAndLandscape, '1024x1792', '1792x1024'],
}

const referenceSentence = imageSentence.replace('{field}', 'input_reference')

/** The fields of the gateway's own form, and those that SDKs make of an object in a multipart body. */
const createForm = defineForm(
  () =>
    named(
      'VideoCreateRequest',
      z.extend(videoForm.schema, {
        'input_reference[image_url]': may(z.string(referenceSentence), '`input_reference`, as SDKs name it.'),
        'input_reference[file_id]': may(z.unknown(), 'There are no uploaded files.'),
      }),
      'A request for a video.',
    ),
  refuseField,
  { takesMultipart: true },
)

const newPrompt = once(() => {
  const sentence = 'field prompt is required'
  return z.string(sentence).check(z.regex(/\S/, sentence))
})

const remixForm = defineForm(
  () => named('RemixRequest', z.object({ prompt: newPrompt() }), 'A new prompt for an old video.'),
  refuseField,
  { takesMultipart: true },
)

const unix = (instant: number): number => toUnixSeconds(instant)

const words = {
  states: video.states,
  quirks: {
    openaiVideoStyle: {
      values: ['gateway', 'openai'],
      description:
        "The JSON of a video in the Videos API: the gateway's, with `task_id`, `usage` and `metadata`, or exactly OpenAI's `Video`.",
    },
  },
} as const satisfies DefinitionWords

const { submit, poll, pages, remove } = kitFor(words)

/**
 * A video in the form of OpenAI: that of the gateway, which omits empty fields, or exactly OpenAI's `Video`, which has them as
 * null.
 *
 * @assumed §4.1 the JSON of a video is undocumented; wire §4.1 and §4.2: times are in seconds, and usage is what a video is
 * billed by.
 */
const record = (job: Job, { quirks }: { readonly quirks: { readonly openaiVideoStyle: string } }) => {
  const { id, tokens, hasSucceeded } = job
  const fields = {
    model: job.model,
    status: upstreamStatus(job),
    progress: job.progress,
    created_at: unix(job.submittedAt),
    completed_at: job.endedAt === undefined ? undefined : unix(job.endedAt),
    seconds: String(job.seconds),
    size: `${job.width}x${job.height}`,
    remixed_from_video_id: job.parent,
    error: job.hasFailed ? { message: job.reason, code: 'task_failed' } : undefined,
  }
  const object = 'video'
  if (quirks.openaiVideoStyle === 'openai')
    return {
      id,
      object,
      ...fields,
      completed_at: fields.completed_at ?? null,
      expires_at: hasSucceeded && job.expiresAt !== undefined ? unix(job.expiresAt) : null,
      prompt: job.prompt,
      remixed_from_video_id: fields.remixed_from_video_id ?? null,
      error: fields.error ?? null,
    }
  return {
    id,
    task_id: id,
    object,
    // Undefined fields are not in the JSON.
    ...fields,
    usage:
      hasSucceeded && tokens !== undefined ? { completion_tokens: tokens, total_tokens: tokens } : undefined,
    metadata: hasSucceeded ? { url: `${job.origin}/v1/videos/${id}/content` } : undefined,
  }
}

/** OpenAI's Videos API over the jobs of the gateway's own. It has no download of its own: `video.content` has the path of both. */
const openaiVideo = {
  name: 'openai-video',
  title: 'Videos API',
  prefix: 'videos',
  jobsOf: video,
  ...words,
  contentType: video.contentType,
  refusals: video.refusals,
  error: video.error,
  /** @assumed §4.1 the Videos API is undocumented; wire §4.1: four seconds, 720x1280, and sizes by model. */
  defaults: { seconds: 4, size: '720x1280' },
  sizesOf: (model: string) => soraSizes[model],
  operations: {
    create: submit({
      route: 'POST /v1/videos',
      summary: 'Create a video',
      body: createForm,
      // An SDK references an image by an object, whose fields have brackets in a form. In JSON, the gateway requires a string.
      images: (body) => {
        const url = body['input_reference[image_url]']
        return { ...imageFields(body), ...(url !== undefined && { input_reference: url }) }
      },
      reads: ({ body: { model, prompt } }) => ({ model, prompt }),
      job: ({ body, header }) => {
        const { 'input_reference[image_url]': url, 'input_reference[file_id]': file } = body
        if (file !== undefined && url === undefined) return refusal(referenceSentence)
        const refused = refuseList({ body, header })
        if (refused) return refused
        return videoJob(url === undefined ? body : { ...body, input_reference: url })
      },
      reply: record,
    }),
    retrieve: poll({
      route: 'GET /v1/videos/{task_id}',
      summary: 'Retrieve a video',
      interval: { min: '5s' },
      reply: record,
    }),
    /** @assumed §4.1 remix is undocumented; wire §4.3. */
    remix: submit({
      route: 'POST /v1/videos/{task_id}/remix',
      summary: 'Remix a video',
      ofJob: true,
      refusals: { unknownJob: { ...video.refusals.unknownJob, message: 'task_origin_not_exist' } },
      body: remixForm,
      reads: ({ body: { prompt }, parent }) => ({ model: parent?.model, prompt }),
      job: ({ body: { prompt }, parent }) => ({
        model: parent!.model,
        like: parent,
        prompt,
        action: 'remixGenerate',
      }),
      reply: record,
    }),
    /** @assumed §4.1 the list of videos is undocumented; wire §4.4. */
    list: pages({
      route: 'GET /v1/videos',
      summary: 'List videos',
      option: 'video.listAndDelete',
      least: 0,
      refusals: { unknownJob: { ...video.refusals.unknownJob, message: 'after names no video' } },
      reply: record,
    }),
    /** @assumed §4.1 deleting a video is undocumented; wire §4.4. */
    delete: remove({
      route: 'DELETE /v1/videos/{task_id}',
      summary: 'Delete a video',
      option: 'video.listAndDelete',
      reply: ({ id }) => ({ id, deleted: true, object: 'video.deleted' }),
    }),
  },
} as const satisfies ApiDefinition

export const openaiVideoApi = defineJobs(openaiVideo, {
  description: "OpenAI's Videos API over the same tasks.",
  samples: [
    {
      client: 'OpenAI SDK',
      lines: [
        "const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' })",
        "const video = await client.videos.create({ model: 'video-1', prompt: 'a paper boat in the rain' })",
      ],
    },
  ],
  flows: [
    {
      name: 'openai-video',
      summary: 'POST /v1/videos, as OpenAI',
      operations: { submit: 'videos.create', poll: 'videos.retrieve', download: 'video.content' },
      reads: videoKeys,
      model: 'video-1',
      observe: readVideoState,
      load: async () => (await import('./flow.ts')).startOpenaiVideo,
      first: {
        variables: openaiVariables,
        calledBy: /\bvideos\.create\(|\/v1\/videos\b/,
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
  ],
})
