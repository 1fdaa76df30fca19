import { defineApi, poll, submit, z, type Job } from 'greenroom/api'

// Its images are at POST /v1/images/generations, where the Images API of the gateway is, too.

/** Every response has this envelope, as https://app.klingai.com/global/dev/document-api describes it. */
const envelope = (code: number, message: string, data?: object) => ({
  code,
  message,
  request_id: 'Chx1aGYkTm8AAAAAAA',
  ...(data && { data }),
})

const task = (job: Job) =>
  envelope(0, 'SUCCEED', {
    task_id: job.id,
    task_status: job.status,
    ...(job.hasFailed && { task_status_msg: job.reason }),
    task_info: { external_task_id: job.input['external_task_id'] ?? '' },
    created_at: job.submittedAt,
    updated_at: job.endedAt ?? job.startedAt ?? job.submittedAt,
    ...(job.hasSucceeded && {
      task_result: { videos: [{ id: job.id, url: job.url, duration: String(job.seconds) }] },
    }),
  })

const video = z.looseObject({
  model_name: z.string().default('kling-v1'),
  prompt: z.string().min(1).max(2500),
  aspect_ratio: z.enum(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9']).optional(),
  external_task_id: z.string().optional(),
  mode: z.enum(['std', 'pro']).optional(),
  duration: z.enum(['5', '10']).default('5'),
})
const fromImage = video.extend({ prompt: z.string().max(2500).default(''), image: z.string().min(1) })

const videoJob = ({ body }: { body: z.output<typeof video> }) => ({
  model: body.model_name,
  prompt: body.prompt || 'an image in motion',
  seconds: Number(body.duration),
  aspectRatio: body.aspect_ratio,
  resolution: body.mode === 'pro' ? '1080p' : '720p',
  input: { external_task_id: body.external_task_id },
})

/** The code of a refusal, by its status. */
const codes: Record<number, number> = { 400: 1201, 401: 1004, 403: 1103, 404: 1203, 429: 1303, 503: 5001 }

export default defineApi({
  name: 'kling',
  title: 'Kling',
  id: { length: 18, of: '123456789' },
  states: { queue: 'submitted', work: 'processing', success: 'succeed', failure: 'failed' },
  timing: { queued: '3s', render: { lognormal: { p50: '90s', p95: '4m' } } },
  // A JWT of an access key and its secret.
  keys: { like: /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/ },
  refusals: { invalidBody: 400 },
  error: ({ status, message }) => envelope(codes[status] ?? 5000, message),
  webhook: {
    to: ({ body }) => body['callback_url'],
    on: ['queue', 'work', 'success', 'failure'],
    // The body is that of a poll, without its envelope.
    body: (job) => task(job).data,
  },
  operations: {
    'text-to-video': submit({
      route: 'POST /v1/videos/text2video',
      body: video,
      job: videoJob,
      reply: task,
    }),
    'image-to-video': submit({
      route: 'POST /v1/videos/image2video',
      body: fromImage,
      example: { body: { image: 'https://app.example/kite.png' } },
      images: ({ image, image_tail: tail }) => [image, tail],
      job: videoJob,
      reply: task,
    }),
    'get-text-to-video': poll({ route: 'GET /v1/videos/text2video/{id}', reply: task }),
    'get-image-to-video': poll({ route: 'GET /v1/videos/image2video/{id}', reply: task }),
  },
})
