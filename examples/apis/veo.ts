import { defineApi, download, poll, submit, z, type Job } from 'greenroom/api'

/** A long-running operation, as https://ai.google.dev/gemini-api/docs/video describes it. */
const operation = (job: Job) => ({
  name: `models/${job.model}/operations/${job.id}`,
  ...(job.isDone && { done: true }),
  ...(job.hasFailed && { error: { code: 13, message: job.reason || 'Internal error' } }),
  ...(job.hasSucceeded && {
    response: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
      generateVideoResponse: { generatedSamples: [{ video: { uri: job.url } }] },
    },
  }),
})

const image = z.looseObject({ bytesBase64Encoded: z.string(), mimeType: z.string().optional() })

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

export default defineApi({
  name: 'veo',
  title: 'Veo of the Gemini API',
  id: { length: 12, of: 'abcdefghijklmnopqrstuvwxyz0123456789' },
  states: { queue: 'PENDING', work: 'RUNNING', success: 'DONE', failure: 'ERROR' },
  timing: { queued: '1s', render: { lognormal: { p50: '45s', p95: '2m' } } },
  keys: { like: /^AIza[\w-]{35}$/, headers: ['x-goog-api-key'], query: 'key' },
  prefixes: ['/v1beta/files'],
  refusals: { invalidBody: 400 },
  error: ({ status, message }) => ({
    error: { code: status, message, status: statuses[status] ?? 'INTERNAL' },
  }),
  operations: {
    generate: submit({
      route: 'POST /v1beta/models/{model}:predictLongRunning',
      body: z.looseObject({
        instances: z.array(z.looseObject({ prompt: z.string().min(1), image: image.optional() })).length(1),
        parameters: z
          .looseObject({
            durationSeconds: z.coerce.number().int().optional(),
            aspectRatio: z.string().optional(),
            resolution: z.string().optional(),
            seed: z.int().optional(),
          })
          .optional(),
      }),
      images: ({ instances }) => {
        const [first] = (instances ?? []) as { image?: { bytesBase64Encoded?: string } }[]
        return [first?.image?.bytesBase64Encoded]
      },
      job: ({ body: { instances, parameters = {} }, params }) => ({
        model: params['model']!,
        prompt: instances[0]!.prompt,
        seconds: parameters.durationSeconds ?? 8,
        aspectRatio: parameters.aspectRatio,
        resolution: parameters.resolution,
        seed: parameters.seed,
      }),
      reply: operation,
    }),
    operation: poll({ route: 'GET /v1beta/models/{model}/operations/{id}', reply: operation }),
    download: download({ route: 'GET HEAD /v1beta/files/{id}:download', isPublic: false, expires: '48h' }),
  },
})
