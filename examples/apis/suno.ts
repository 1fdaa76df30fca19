import { defineApi, poll, submit, z, type Job } from 'greenroom/api'

/** Every response has this envelope, as https://docs.sunoapi.org describes it. */
const envelope = (code: number, msg: string, data: object | null = null) => ({ code, msg, data })

/** The tracks that are ready. Their files are MP4 with sound. */
const tracks = (job: Job) => {
  const count = job.hasSucceeded ? 2 : job.status === 'FIRST_SUCCESS' ? 1 : 0
  return Array.from({ length: count }, (_, index) => ({
    id: `${job.id}-${index}`,
    audioUrl: job.url ?? '',
    streamAudioUrl: job.url ?? '',
    prompt: job.prompt,
    modelName: job.model,
    title: job.input['title'] ?? 'Untitled',
    tags: job.input['style'] ?? '',
    createTime: new Date(job.submittedAt).toISOString().slice(0, 19).replace('T', ' '),
    duration: job.seconds,
  }))
}

const record = (job: Job) =>
  envelope(200, 'success', {
    taskId: job.id,
    parentMusicId: '',
    param: JSON.stringify(job.input),
    response: tracks(job).length === 0 ? null : { taskId: job.id, sunoData: tracks(job) },
    status: job.status,
    type: 'GENERATE',
    errorCode: job.hasFailed ? 501 : null,
    errorMessage: job.hasFailed ? job.reason || 'Failed to generate the audio' : null,
  })

const music = z
  .looseObject({
    prompt: z.string().max(5000).default(''),
    style: z.string().max(1000).optional(),
    title: z.string().max(100).optional(),
    customMode: z.boolean(),
    instrumental: z.boolean(),
    model: z.enum(['V3_5', 'V4', 'V4_5', 'V4_5PLUS', 'V4_5ALL', 'V5']),
    negativeTags: z.string().optional(),
    callBackUrl: z.url(),
  })
  .refine(({ customMode, prompt }) => customMode || (prompt !== '' && prompt.length <= 500), {
    message: 'Without customMode, it has 1 to 500 characters',
    path: ['prompt'],
  })
  .refine(({ customMode, style, title }) => !customMode || (style && title), {
    message: 'customMode needs style and title',
    path: ['style'],
  })

export default defineApi({
  name: 'suno',
  title: 'Suno API',
  id: { length: 32, of: '0123456789abcdef' },
  states: { queue: 'PENDING', work: 'TEXT_SUCCESS', success: 'SUCCESS', failure: 'GENERATE_AUDIO_FAILED' },
  // The lyrics come first, then a track, then the other one.
  shows: (job) =>
    !job.isQueued && !job.isDone && job.progress >= 50
      ? { status: 'FIRST_SUCCESS', progress: job.progress }
      : undefined,
  timing: { queued: '5s', render: { lognormal: { p50: '90s', p95: '3m' } } },
  keys: { like: /^[0-9a-f]{32}$/ },
  refusals: { invalidBody: 400 },
  error: ({ status, message }) => envelope(status, message),
  webhook: {
    to: ({ body }) => body['callBackUrl'],
    on: ['work', 'success', 'failure'],
    progress: [50],
    body: (job) =>
      job.hasFailed
        ? envelope(501, job.reason || 'Failed to generate the audio', {
            callbackType: 'error',
            task_id: job.id,
            data: null,
          })
        : envelope(200, 'All generated successfully.', {
            callbackType: job.hasSucceeded ? 'complete' : job.status === 'TEXT_SUCCESS' ? 'text' : 'first',
            task_id: job.id,
            data: tracks(job).map(({ audioUrl, streamAudioUrl, modelName, ...rest }) => ({
              ...rest,
              audio_url: audioUrl,
              stream_audio_url: streamAudioUrl,
              model_name: modelName,
            })),
          }),
    timeout: '15s',
  },
  operations: {
    generate: submit({
      route: 'POST /api/v1/generate',
      body: music,
      example: {
        body: {
          prompt: 'a tune',
          customMode: false,
          instrumental: false,
          model: 'V4_5',
          callBackUrl: 'https://app.example/hook',
        },
      },
      job: ({ body }) => ({
        model: body.model,
        prompt: body.prompt || body.title || body.style || 'a tune',
        input: body,
      }),
      reply: ({ id }) => envelope(200, 'success', { taskId: id }),
    }),
    record: poll({ route: 'GET /api/v1/generate/record-info?taskId={id}', reply: record }),
  },
})
