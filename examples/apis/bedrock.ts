import { answer, defineApi, download, list, poll, submit, z, type Job } from 'greenroom/api'

const prefix = 'arn:aws:bedrock:us-east-1:123456789012:async-invoke/'
const toDate = (instant: number) => new Date(instant).toISOString()

/** An invocation, as https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GetAsyncInvoke.html describes it. */
const invocation = (job: Job) => ({
  invocationArn: job.id,
  modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${job.model}`,
  clientRequestToken: job.input['clientRequestToken'],
  status: job.isQueued ? 'InProgress' : job.status,
  submitTime: toDate(job.submittedAt),
  lastModifiedTime: toDate(job.endedAt ?? job.startedAt ?? job.submittedAt),
  ...(job.isDone && { endTime: toDate(job.endedAt!) }),
  ...(job.hasFailed && { failureMessage: job.reason || 'Internal error' }),
  outputDataConfig: {
    s3OutputDataConfig: { s3Uri: `${String(job.input['s3Uri'])}/${job.id.slice(prefix.length)}` },
  },
})

const types: Record<number, string> = {
  400: 'ValidationException',
  401: 'AccessDeniedException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  409: 'ConflictException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
}

/** The input of Amazon Nova Reel. */
const modelInput = z.looseObject({
  taskType: z.literal('TEXT_VIDEO').optional(),
  textToVideoParams: z.looseObject({ text: z.string().min(1).max(512) }),
  videoGenerationConfig: z
    .looseObject({
      durationSeconds: z.int().default(6),
      dimension: z.string().default('1280x720'),
      seed: z.int().optional(),
    })
    .optional(),
})

export default defineApi({
  name: 'bedrock',
  title: 'Asynchronous invocations of Bedrock',
  id: { prefix, length: 12, of: 'abcdefghijklmnopqrstuvwxyz0123456789' },
  // The vendor has no word for a queue: replies say InProgress.
  states: { queue: 'Queued', work: 'InProgress', success: 'Completed', failure: 'Failed' },
  timing: { queued: '0s', render: { lognormal: { p50: '90s', p95: '3m' } } },
  // Signatures are not checked.
  keys: { like: /^(?:Credential=|bedrock-api-key-|ABSK)/, schemes: ['AWS4-HMAC-SHA256'] },
  refusals: { invalidBody: 400, reusedKey: 409 },
  error: ({ status, message }) =>
    answer(status, { message }, { 'x-amzn-errortype': types[status] ?? 'InternalServerException' }),
  operations: {
    start: submit({
      route: 'POST /async-invoke',
      body: z.looseObject({
        clientRequestToken: z.string().optional(),
        modelId: z.string().min(1),
        modelInput,
        outputDataConfig: z.object({
          s3OutputDataConfig: z.looseObject({ s3Uri: z.string().regex(/^s3:\/\/[^/]+\/[^/]+$/) }),
        }),
      }),
      example: {
        body: {
          modelId: 'amazon.nova-reel-v1:0',
          modelInput: { textToVideoParams: { text: 'a red kite' } },
          outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://bucket/out' } },
        },
      },
      idempotency: ({ body }) => body['clientRequestToken'] as string | undefined,
      job: ({ body: { clientRequestToken, modelId, modelInput, outputDataConfig } }) => ({
        model: modelId,
        prompt: modelInput.textToVideoParams.text,
        seconds: modelInput.videoGenerationConfig?.durationSeconds ?? 6,
        size: modelInput.videoGenerationConfig?.dimension,
        seed: modelInput.videoGenerationConfig?.seed,
        input: { clientRequestToken, s3Uri: outputDataConfig.s3OutputDataConfig.s3Uri },
      }),
      reply: ({ id }) => ({ invocationArn: id }),
    }),
    get: poll({ route: 'GET /async-invoke/{id}', reply: invocation }),
    list: list({
      route: 'GET /async-invoke',
      filter: (job, { query }) => [null, invocation(job).status].includes(query.get('statusEquals')),
      page: ({ query }) => ({
        limit: Number(query.get('maxResults') ?? 10),
        after: query.get('nextToken'),
      }),
      reply: (jobs, { next }) => ({
        asyncInvokeSummaries: jobs.map(invocation),
        ...(next !== undefined && { nextToken: next }),
      }),
    }),
    // S3, with the bucket in the path.
    output: download({
      route: 'GET HEAD /s3/{bucket}/{folder}/{invocation}/output.mp4',
      id: ({ params }) => prefix + params['invocation'],
    }),
  },
})
