import { answer, defineApi, poll, remove, submit, z, type Job } from 'greenroom/api'

/** A generation, as https://docs.lumalabs.ai/docs/api describes it. */
const generation = (job: Job) => ({
  id: job.id,
  generation_type: job.makes,
  state: job.status,
  failure_reason: job.hasFailed ? job.reason || 'The generation failed.' : null,
  created_at: new Date(job.submittedAt).toISOString(),
  assets: job.hasSucceeded ? { [job.makes]: job.url } : null,
  model: job.model,
  request: job.input,
})

const aspectRatio = z.enum(['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21']).default('16:9')
const frame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('image'), url: z.url() }),
  z.object({ type: z.literal('generation'), id: z.string() }),
])
const prompt = z.string().min(3).max(5000)

const video = z.looseObject({
  prompt,
  model: z.enum(['ray-1-6', 'ray-2', 'ray-flash-2']),
  aspect_ratio: aspectRatio,
  loop: z.boolean().optional(),
  duration: z.enum(['5s', '9s']).default('5s'),
  resolution: z.enum(['540p', '720p', '1080p', '4k']).default('720p'),
  keyframes: z.object({ frame0: frame.optional(), frame1: frame.optional() }).optional(),
  callback_url: z.url().optional(),
})
const image = z.looseObject({
  prompt,
  model: z.enum(['photon-1', 'photon-flash-1']).default('photon-1'),
  aspect_ratio: aspectRatio,
  format: z.enum(['jpg', 'png']).default('jpg'),
  callback_url: z.url().optional(),
})

const videoJob = ({ body }: { body: z.output<typeof video> }) => ({
  model: body.model,
  prompt: body.prompt,
  seconds: Number.parseInt(body.duration, 10),
  aspectRatio: body.aspect_ratio,
  resolution: body.resolution,
  input: body,
})

/** The images of keyframes; another generation is a keyframe without one. */
const framesOf = ({ keyframes }: { keyframes?: unknown }) =>
  Object.values((keyframes ?? {}) as Record<string, { url?: unknown } | null>).map((each) => each?.url)

export default defineApi({
  name: 'luma',
  title: 'Luma Dream Machine',
  id: 'uuid',
  states: { queue: 'queued', work: 'dreaming', success: 'completed', failure: 'failed' },
  timing: { queued: '2s', render: { lognormal: { p50: '30s', p95: '90s' } } },
  keys: { like: /^luma-[\w-]+$/ },
  refusals: { invalidBody: 400 },
  error: ({ message, issues }) => ({
    detail:
      issues.length === 0
        ? message
        : issues.map(({ path, message }) => ({ loc: ['body', ...path], msg: message, type: 'value_error' })),
  }),
  // Not signed. Any status but 200 is repeated three times, 100 ms apart.
  webhook: {
    to: ({ body }) => body['callback_url'],
    on: ['work', 'success', 'failure'],
    body: generation,
    timeout: '5s',
    retries: ['100ms', '100ms', '100ms'],
    accepts: (status) => status === 200,
  },
  operations: {
    create: submit({
      route: 'POST /dream-machine/v1/generations',
      also: ['/dream-machine/v1/generations/video'],
      status: 201,
      body: video,
      images: framesOf,
      job: videoJob,
      reply: generation,
    }),
    'create-image': submit({
      route: 'POST /dream-machine/v1/generations/image',
      status: 201,
      body: image,
      job: ({ body }) => ({
        model: body.model,
        prompt: body.prompt,
        makes: 'image',
        aspectRatio: body.aspect_ratio,
        format: body.format === 'jpg' ? 'jpeg' : 'png',
        input: body,
      }),
      reply: generation,
    }),
    get: poll({ route: 'GET /dream-machine/v1/generations/{id}', reply: generation }),
    delete: remove({ route: 'DELETE /dream-machine/v1/generations/{id}', reply: () => answer(204) }),
  },
})
