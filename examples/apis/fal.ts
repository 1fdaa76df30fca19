import { answer, cancel, defineApi, poll, result, submit, z, type Job } from 'greenroom/api'

const requests = (job: Job) => `${job.origin}/fal-ai/${job.model.split('/')[1]}/requests/${job.id}`

/** The state of a request, as https://docs.fal.ai/model-endpoints/queue describes it. A failed one is COMPLETED, too. */
const state = (job: Job) => ({
  status: job.isDone ? 'COMPLETED' : job.status,
  request_id: job.id,
  response_url: requests(job),
  status_url: `${requests(job)}/status`,
  cancel_url: `${requests(job)}/cancel`,
  ...(job.isQueued && { queue_position: job.position }),
  ...(!job.isQueued && { logs: [] }),
  ...(job.hasFailed && { error: job.reason, error_type: 'internal_error' }),
})

const file = (job: Job, index = 0) => ({
  url: job.urls[index],
  content_type: job.makes === 'image' ? 'image/png' : 'video/mp4',
})

/** The output of a model: a video, or images. */
const output = (job: Job) =>
  job.makes === 'video'
    ? { video: file(job), seed: Number(job.seed) }
    : {
        images: job.urls.map((_, index) => ({ ...file(job, index), width: job.width, height: job.height })),
        seed: Number(job.seed),
        prompt: job.prompt,
      }

export default defineApi({
  name: 'fal',
  title: 'fal queue',
  id: 'uuid',
  states: {
    queue: 'IN_QUEUE',
    work: 'IN_PROGRESS',
    success: 'COMPLETED',
    failure: 'FAILED',
    cancelled: 'CANCELLED',
  },
  keys: { like: /^[\w-]+:\w+$/, schemes: ['Key'] },
  prefixes: ['/fal-ai'],
  error: ({ message, issues }) => ({
    detail:
      issues.length === 0
        ? message
        : issues.map(({ path, message }) => ({ loc: ['body', ...path], msg: message, type: 'value_error' })),
  }),
  // Not signed: the vendor signs with keys of its own.
  webhook: {
    to: ({ query }) => query.get('fal_webhook'),
    body: (job) => ({
      request_id: job.id,
      gateway_request_id: job.id,
      status: job.hasSucceeded ? 'OK' : 'ERROR',
      ...(job.hasSucceeded ? { payload: output(job) } : { error: job.reason, payload: null }),
    }),
    timeout: '15s',
    retries: ['5s', '30s', '2m', '10m'],
  },
  operations: {
    submit: submit({
      route: 'POST /fal-ai/{app}',
      also: ['/fal-ai/{app}/{a}', '/fal-ai/{app}/{a}/{b}', '/fal-ai/{app}/{a}/{b}/{c}'],
      body: z.looseObject({
        prompt: z.string().min(1),
        duration: z.union([z.string(), z.number()]).optional(),
        aspect_ratio: z.string().optional(),
        resolution: z.string().optional(),
        num_images: z.int().min(1).max(4).optional(),
        seed: z.int().optional(),
      }),
      images: ({ image_url: image }) => [image],
      job: ({ body, params: { app, a, b, c } }) => {
        const model = ['fal-ai', app, a, b, c].filter((part) => part !== undefined).join('/')
        return {
          model,
          prompt: body.prompt,
          makes: /video|veo|minimax|wan|luma|hunyuan|ltx/.test(model) ? 'video' : 'image',
          seconds: body.duration === undefined ? undefined : Number.parseInt(String(body.duration), 10),
          aspectRatio: body.aspect_ratio,
          resolution: body.resolution,
          count: body.num_images,
          seed: body.seed,
        }
      },
      reply: state,
    }),
    status: poll({
      route: 'GET /fal-ai/{app}/requests/{id}/status',
      reply: (job) => answer(job.isDone ? 200 : 202, state(job)),
    }),
    result: result({
      route: 'GET /fal-ai/{app}/requests/{id}',
      reply: (job) =>
        job.hasSucceeded
          ? answer(200, output(job), { 'x-fal-request-id': job.id })
          : answer(job.isDone ? 422 : 400, { detail: job.reason || 'Request is still in progress' }),
    }),
    cancel: cancel({
      route: 'PUT /fal-ai/{app}/requests/{id}/cancel',
      reply: (_job, { hasEnded }) =>
        hasEnded
          ? answer(400, { status: 'ALREADY_COMPLETED' })
          : answer(202, { status: 'CANCELLATION_REQUESTED' }),
    }),
  },
})
