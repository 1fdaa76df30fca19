import { answer, cancel, defineApi, download, poll, submit, z, type Job } from 'greenroom/api'

const version = '2024-11-06'

/** A task, as https://docs.dev.runwayml.com/api describes it. */
const task = (job: Job) => ({
  id: job.id,
  createdAt: new Date(job.submittedAt).toISOString(),
  status: job.status,
  ...(!job.isQueued && !job.isDone && { progress: job.progress / 100 }),
  ...(job.hasSucceeded && { output: job.urls }),
  ...(job.hasFailed && {
    failure: job.reason || 'An unexpected error occurred.',
    failureCode: /safety|policy/i.test(job.reason) ? 'SAFETY.INPUT.TEXT' : 'INTERNAL.BAD_OUTPUT.CODE01',
  }),
})

const ratio = z.string().regex(/^\d+:\d+$/)
const seed = z.int().min(0).max(4_294_967_295).optional()
const contentModeration = z.object({ publicFigureThreshold: z.enum(['auto', 'low']) }).optional()
const duration = z.int().min(2).max(10).default(5)
const sizeOf = (given: string) => given.replace(':', 'x')

const video = z.object({
  model: z.enum(['gen4.5', 'gen4_turbo', 'gen3a_turbo', 'veo3', 'veo3.1', 'veo3.1_fast']),
  promptText: z.string().min(1).max(1000),
  ratio,
  duration,
  seed,
  contentModeration,
})
const fromImage = video.extend({
  promptText: z.string().min(1).max(1000).default('an image in motion'),
  promptImage: z.union([
    z.string().min(1),
    z.array(z.object({ uri: z.string().min(1), position: z.enum(['first', 'last']) })).min(1),
  ]),
})
const image = z.object({
  model: z.enum(['gen4_image', 'gen4_image_turbo', 'gemini_2.5_flash']),
  promptText: z.string().min(1).max(1000),
  ratio,
  seed,
  contentModeration,
  referenceImages: z.array(z.object({ uri: z.string().min(1), tag: z.string().optional() })).optional(),
})

const videoJob = ({ body }: { body: z.output<typeof video> }) => ({
  model: body.model,
  prompt: body.promptText,
  seconds: body.duration,
  size: sizeOf(body.ratio),
  seed: body.seed,
})

const example = {
  headers: { 'x-runway-version': version },
  body: { model: 'gen4_turbo', ratio: '1280:720', promptImage: 'https://app.example/kite.png' },
} as const
const uris = (list: unknown) =>
  Array.isArray(list) ? list.map((each: { uri?: unknown } | null) => each?.uri) : [list]

export default defineApi({
  name: 'runway',
  title: 'Runway',
  id: 'uuid',
  states: {
    queue: 'PENDING',
    work: 'RUNNING',
    success: 'SUCCEEDED',
    failure: 'FAILED',
    cancelled: 'CANCELLED',
  },
  timing: { queued: '3s', render: { lognormal: { p50: '40s', p95: '2m' } } },
  keys: { like: /^key_[0-9a-f]{128}$/ },
  refusals: { invalidBody: 400, expired: 401 },
  before: ({ header }) =>
    header('x-runway-version') === version
      ? undefined
      : answer(400, { error: `Send the header X-Runway-Version: ${version}.` }),
  error: ({ message, issues }) => ({ error: message, ...(issues.length > 0 && { issues }) }),
  operations: {
    'image-to-video': submit({
      route: 'POST /v1/image_to_video',
      body: fromImage,
      images: ({ promptImage }) => uris(promptImage),
      example,
      job: videoJob,
      reply: ({ id }) => ({ id }),
    }),
    'text-to-video': submit({
      route: 'POST /v1/text_to_video',
      body: video,
      job: videoJob,
      reply: ({ id }) => ({ id }),
    }),
    'text-to-image': submit({
      route: 'POST /v1/text_to_image',
      body: image,
      images: ({ referenceImages }) => (referenceImages === undefined ? [] : uris(referenceImages)),
      job: ({ body }) => ({
        model: body.model,
        prompt: body.promptText,
        makes: 'image',
        size: sizeOf(body.ratio),
        seed: body.seed,
      }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /v1/tasks/{id}', interval: { min: '5s' }, reply: task }),
    delete: cancel({ route: 'DELETE /v1/tasks/{id}', reply: () => answer(204) }),
    video: download({ route: 'GET HEAD /runway/{id}/output.mp4', makes: 'video', linkExpires: '24h' }),
    image: download({ route: 'GET HEAD /runway/{id}/{n}/output.png', makes: 'image', linkExpires: '24h' }),
  },
})
