import { call, cancel, defineApi, download, poll, standardWebhooks, submit, z, type Job } from 'greenroom/api'

/** A prediction, as https://replicate.com/docs/reference/http describes it. */
const prediction = (job: Job) => ({
  id: job.id,
  model: job.model,
  version: 'hidden',
  input: job.input,
  logs: job.startedAt === undefined ? '' : `${job.progress}%`,
  output: job.makes === 'image' && job.hasSucceeded ? job.urls : job.url,
  error: job.hasFailed ? job.reason : null,
  status: job.status,
  data_removed: false,
  created_at: toDate(job.submittedAt),
  ...(job.startedAt !== undefined && { started_at: toDate(job.startedAt) }),
  ...(job.endedAt !== undefined && { completed_at: toDate(job.endedAt) }),
  ...(job.hasSucceeded && { metrics: { predict_time: (job.endedAt! - job.startedAt!) / 1000 } }),
  urls: {
    get: `${job.origin}/v1/predictions/${job.id}`,
    cancel: `${job.origin}/v1/predictions/${job.id}/cancel`,
    stream: `${job.origin}/v1/predictions/${job.id}`,
    web: `https://replicate.com/p/${job.id}`,
  },
})

const toDate = (instant: number) => new Date(instant).toISOString()

const input = z.looseObject({
  prompt: z.string().min(1),
  duration: z.int().min(1).max(60).optional(),
  aspect_ratio: z.string().optional(),
  resolution: z.string().optional(),
  seed: z.int().optional(),
  num_outputs: z.int().min(1).max(4).optional(),
  output_format: z.enum(['png', 'jpg', 'webp']).optional(),
})

/** Models make images, unless their name or their input speaks of a video. */
const jobOf = (model: string, input: Input) =>
  ({
    model,
    prompt: input.prompt,
    makes: /video|veo|kling|wan|hailuo|seedance/.test(model) || input.duration ? 'video' : 'image',
    seconds: input.duration,
    aspectRatio: input.aspect_ratio,
    resolution: input.resolution,
    seed: input.seed,
    count: input.num_outputs,
    format: input.output_format === 'jpg' ? 'jpeg' : input.output_format,
    input,
  }) as const

type Input = z.infer<typeof input>

/** The images of an input, whatever their names. */
const imagesOf = ({ input }: { input?: unknown }) => imageNames.map((name) => (input as Input)?.[name])
const imageNames = ['image', 'start_image', 'input_image', 'first_frame_image']

const titles: Record<number, string> = {
  401: 'Unauthenticated',
  404: 'Not found',
  422: 'Input validation failed',
}

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

export default defineApi({
  name: 'replicate',
  title: 'Replicate',
  id: { length: 26, of: 'abcdefghjkmnpqrstvwxyz0123456789' },
  states: {
    queue: 'starting',
    work: 'processing',
    success: 'succeeded',
    failure: 'failed',
    cancelled: 'canceled',
  },
  timing: { queued: '2s', render: { lognormal: { p50: '20s', p95: '60s' } } },
  keys: { like: /^r8_\w+$/, schemes: ['Token'] },
  error: ({ status, message, issues }) => ({
    title: titles[status] ?? 'Error',
    detail: message,
    status,
    ...(issues.length > 0 && {
      invalid_fields: issues.map(({ path, message }) => ({ field: path.join('.'), description: message })),
    }),
  }),
  // `webhook_events_filter` is ignored: the beginning and the end are sent.
  webhook: {
    to: ({ body }) => body['webhook'],
    on: ['work', 'success', 'failure', 'cancelled'],
    body: prediction,
    sign: standardWebhooks(secret),
    retries: ['5s', '5m'],
  },
  operations: {
    create: submit({
      route: 'POST /v1/predictions',
      status: 201,
      body: z.looseObject({ version: z.string().min(1), input }),
      example: { body: { version: 'minimax/video-01', input: { prompt: 'a red kite' } } },
      images: imagesOf,
      job: ({ body }) => jobOf(body.version.split(':')[0]!, body.input),
      reply: prediction,
    }),
    'create-by-model': submit({
      route: 'POST /v1/models/{owner}/{name}/predictions',
      status: 201,
      body: z.looseObject({ input }),
      images: imagesOf,
      job: ({ body, params }) => jobOf(`${params['owner']}/${params['name']}`, body.input),
      reply: prediction,
    }),
    'webhook-secret': call({ route: 'GET /v1/webhooks/default/secret', reply: () => ({ key: secret }) }),
    get: poll({ route: 'GET /v1/predictions/{id}', reply: prediction }),
    cancel: cancel({ route: 'POST /v1/predictions/{id}/cancel', reply: prediction }),
    video: download({ route: 'GET HEAD /delivery/{id}/output.mp4', makes: 'video', expires: '1h' }),
    image: download({ route: 'GET HEAD /delivery/{id}/{n}/output', makes: 'image', expires: '1h' }),
  },
})
